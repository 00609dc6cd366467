import type { ChangeFact, Fact } from '../../facts.ts'
import { at, byline, type Json, link, number, objects, text, time, Unreadable, uids } from '../../reading.ts'
import { chain, commitOf, filesOf, isNothing, pushedBranch } from '../../reports/git-push.ts'
import { repositoryOf } from './project.ts'

/** Commits that arrived on a branch, oldest first. GitLab doesn't report whether a push was forced. */
export function push(body: Json): Fact[] {
  const branch = pushedBranch(text(at(body, 'ref')) ?? '')
  if (branch === undefined) return []
  const [before, after] = [commitOf(at(body, 'before')), commitOf(at(body, 'after'))]
  const repository = repositoryOf(body)
  const told = { branch, ...(repository && { repository }) }
  if (isNothing(at(body, 'after'))) return [{ kind: 'branch_deleted', ...told, ...(before !== undefined && { head: before }) }]
  if (!Array.isArray(at(body, 'commits'))) throw new Unreadable('A push must list its commits.')

  const changes = new Map<string, ChangeFact>()
  for (const commit of objects(at(body, 'commits'))) {
    const identifier = text(at(commit, 'id'))
    if (identifier === undefined) throw new Unreadable('Every commit of a push must have an id.')
    if (!changes.has(identifier)) changes.set(identifier, { ...change(identifier, commit, body), ...told })
  }
  // Only the newest twenty are listed: what the first of them follows is unknown then.
  const isWhole = (number(at(body, 'total_commits_count')) ?? 0) <= changes.size
  chain(changes.values(), isWhole ? before : undefined)
  const created: Fact[] =
    isNothing(at(body, 'before')) && after !== undefined ? [{ kind: 'branch_created', ...told, head: after }] : []
  return [...created, ...changes.values()]
}

/** Of a push, or of a list of commits. */
export function change(identifier: string, commit: Json, body: Json): Omit<ChangeFact, 'branch' | 'repository'> {
  const [name, mail] = [at(commit, 'author', 'name'), mailOf(at(commit, 'author', 'email'))]
  const page = link(at(body, 'project', 'web_url'))
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    author: byline(name, mail),
    author_uids: uids(loginOf(mail, body), mail),
    description: text(at(commit, 'message')) ?? '',
    timestamp: time(at(commit, 'timestamp')) ?? null,
    files: filesOf(commit),
    ...(page !== undefined && {
      url: `${page}/-/commit/${identifier}`,
      file_url: `${page}/-/blob/${identifier}/{path}#L{line}`,
    }),
  }
}

/** Commits have no account. The pusher's is known, and theirs if the address is the same. */
const loginOf = (mail: string | undefined, body: Json): string | undefined =>
  mail !== undefined && mail.toLowerCase() === mailOf(at(body, 'user_email'))?.toLowerCase()
    ? text(at(body, 'user_username'))
    : undefined

/** A hidden address is `[REDACTED]`. */
const mailOf = (told: unknown): string | undefined => (text(told)?.includes('@') ? text(told) : undefined)
