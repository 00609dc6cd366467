import type { ChangeFact, Fact, Repository } from '../../facts.ts'
import { at, type Json, list, mailIn, object, objects, text, time, Unreadable, uids } from '../../reading.ts'
import { chain } from '../../reports/git-push.ts'
import { cloudRepository, pageIn } from './repository.ts'

/** One push moves several branches and tags. Each branch lists its newest five commits at most, newest first, without their files. */
export function push(body: Json): Fact[] {
  if (!Array.isArray(at(body, 'push', 'changes'))) throw new Unreadable('A push must list its changes.')
  const repository = cloudRepository(body.repository)
  return objects(at(body, 'push', 'changes')).flatMap((moved) => branchMoved(moved, repository, pageIn(body.repository)))
}

function branchMoved(moved: Json, repository: Repository | undefined, page: string | undefined): Fact[] {
  const [now, old] = [object(moved.new), object(moved.old)]
  const branch = text((now ?? old)?.name)
  if (branch === undefined || (now ?? old)?.type !== 'branch') return []
  const told = { branch, ...(repository && { repository }) }
  const [before, after] = [text(at(old, 'target', 'hash')), text(at(now, 'target', 'hash'))]
  if (now === undefined) return [{ kind: 'branch_deleted', ...told, ...(before !== undefined && { head: before }) }]

  const changes = new Map<string, ChangeFact>()
  for (const commit of list(moved.commits).toReversed()) {
    const identifier = text(at(commit, 'hash'))
    if (identifier === undefined) throw new Unreadable('Every commit of a push must have a hash.')
    changes.set(identifier, { ...change(identifier, commit, page), ...told })
  }
  // Of a longer push the first listed commit follows one that is not listed.
  chain(changes.values(), moved.truncated === true ? undefined : before)
  const orphaned: Fact[] =
    moved.forced === true && before !== undefined
      ? [{ kind: 'orphan', source_type: 'GitCommit', identifier: before, ...told, ...(after !== undefined && { after }) }]
      : []
  const created: Fact[] = old === undefined && after !== undefined ? [{ kind: 'branch_created', ...told, head: after }] : []
  return [...orphaned, ...created, ...changes.values()]
}

export function change(identifier: string, commit: unknown, page: string | undefined): Omit<ChangeFact, 'branch'> {
  const user = at(commit, 'author', 'user')
  const raw = text(at(commit, 'author', 'raw')) ?? text(at(user, 'display_name')) ?? ''
  const url = pageIn(commit) ?? (page === undefined ? undefined : `${page}/commits/${identifier}`)
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    author: raw,
    // Nicknames are no logins: several people may have the same one.
    author_uids: uids(at(user, 'account_id'), at(user, 'uuid'), mailIn(raw)),
    description: text(at(commit, 'message')) ?? '',
    timestamp: time(at(commit, 'date')) ?? null,
    files: null,
    ...(url !== undefined && { url }),
    ...(page !== undefined && { file_url: `${page}/src/${identifier}/{path}#lines-{line}` }),
  }
}
