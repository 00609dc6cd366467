import type { ChangeFact, Fact, Repository } from '../../facts.ts'
import { at, byline, type Json, link, object, objects, text, time, Unreadable, uids, word } from '../../reading.ts'
import { chain, commitOf, filesOf, isNothing, pushedBranch } from '../../reports/git-push.ts'

/** Commits that arrived on a branch; the previous head of a forced push is orphaned first, so that a new report of it removes the mark. */
export function push(body: Json): Fact[] {
  const branch = pushedBranch(text(at(body, 'ref')) ?? '')
  if (branch === undefined) return []
  const [before, after] = [commitOf(at(body, 'before')), commitOf(at(body, 'after'))]
  const repository = repositoryOf(body)
  const told = { branch, ...(repository && { repository }) }
  if (at(body, 'deleted') === true || isNothing(at(body, 'after')))
    return [{ kind: 'branch_deleted', ...told, ...(before !== undefined && { head: before }) }]
  if (!Array.isArray(at(body, 'commits'))) throw new Unreadable('A push must list its commits.')

  const commits = objects(at(body, 'commits'))
  const head = object(at(body, 'head_commit'))
  // GitHub lists 2,048 commits at most: the newest one may only be here. A new branch at an old commit lists none and is not news.
  if (head && commits.length > 0) commits.push(head)

  const sender = object(at(body, 'sender'))
  const page = link(at(body, 'repository', 'html_url'))
  const changes = new Map<string, ChangeFact>()
  for (const commit of commits) {
    const identifier = text(at(commit, 'id'))
    if (identifier === undefined) throw new Unreadable('Every commit of a push must have an id.')
    // Its first report counts: the head repeats a listed commit, and may be incomplete.
    if (!changes.has(identifier))
      changes.set(identifier, { ...change(identifier, commit, told, sender), ...placesOf(page, identifier) })
  }

  chain(changes.values(), before)
  const isForced = at(body, 'forced') === true && before !== undefined
  const left: Fact[] = isForced
    ? [{ kind: 'orphan', source_type: 'GitCommit', identifier: before, ...told, ...(after !== undefined && { after }) }]
    : []
  const created: Fact[] =
    at(body, 'created') === true && after !== undefined ? [{ kind: 'branch_created', ...told, head: after }] : []
  return [...left, ...created, ...changes.values()]
}

/** The id of a repository stays the same when it is renamed. */
export function repositoryOf(body: Json): Repository | undefined {
  const name = text(at(body, 'repository', 'full_name'))
  return name === undefined ? undefined : { id: word(at(body, 'repository', 'id')) ?? name, name }
}

/** A deleted branch; tags are ignored. */
export function deleted(body: Json): Fact[] {
  const branch = text(at(body, 'ref'))
  if (at(body, 'ref_type') !== 'branch' || branch === undefined) return []
  const repository = repositoryOf(body)
  return [{ kind: 'branch_deleted', branch: pushedBranch(branch) ?? branch, ...(repository && { repository }) }]
}

function change(
  identifier: string,
  commit: Json,
  told: { branch: string; repository?: Repository },
  sender: Json | undefined,
): ChangeFact {
  const author = object(at(commit, 'author'))
  const login = text(at(author, 'username'))
  // The id of an account survives a rename; a commit has it only if its author is the pusher.
  const id = login !== undefined && login === at(sender, 'login') ? at(sender, 'id') : undefined
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    author: byline(at(author, 'name') ?? login, at(author, 'email')),
    author_uids: uids(login, id, at(author, 'email')),
    description: text(at(commit, 'message')) ?? '',
    timestamp: time(at(commit, 'timestamp')) ?? null,
    ...told,
    files: filesOf(commit),
  }
}

/** The URLs of a commit, and of a file at that commit. */
export const placesOf = (page: string | undefined, identifier: string) =>
  page === undefined ? {} : { url: `${page}/commit/${identifier}`, file_url: `${page}/blob/${identifier}/{path}#L{line}` }
