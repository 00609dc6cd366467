import type { ChangeFact, Fact } from '../../facts.ts'
import { at, byline, type Json, objects, text, time, Unreadable, uids } from '../../reading.ts'
import { chain, commitOf, isNothing, pushedBranch } from '../../reports/git-push.ts'
import { pageOf, repositoryOf } from './repository.ts'

/** Commits come newest first, without their files. Azure doesn't report whether a push was forced. */
export function push(_: Json, resource: Json): Fact[] {
  const updates = objects(resource.refUpdates).flatMap((update) => {
    const branch = pushedBranch(text(update.name) ?? '')
    return branch === undefined ? [] : [{ branch, before: update.oldObjectId, after: update.newObjectId }]
  })
  const repository = repositoryOf(resource.repository)
  const at = { ...(repository && { repository }) }
  const moves = updates.flatMap(({ branch, before, after }): Fact[] => {
    const [old, head] = [commitOf(before), commitOf(after)]
    if (isNothing(after)) return [{ kind: 'branch_deleted', branch, ...at, ...(old !== undefined && { head: old }) }]
    return isNothing(before) && head !== undefined ? [{ kind: 'branch_created', branch, ...at, head }] : []
  })
  const alive = updates.filter(({ after }) => !isNothing(after))
  // A push to several branches doesn't say which commits are on which.
  const [only] = alive.length === 1 ? alive : []
  const changes = new Map<string, ChangeFact>()
  for (const commit of objects(resource.commits).toReversed()) {
    const identifier = text(commit.commitId)
    if (identifier === undefined) throw new Unreadable('Every commit of a push must have a commitId.')
    changes.set(identifier, { ...change(identifier, commit, resource), ...at, branch: only?.branch ?? '' })
  }
  if (only) chain(changes.values(), commitOf(only.before))
  return [...moves, ...(alive.length === 0 ? [] : changes.values())]
}

/** Of a push, or of a list of commits. */
export function change(identifier: string, commit: Json, resource: Json): Omit<ChangeFact, 'branch'> {
  const [name, mail] = [at(commit, 'author', 'name'), text(at(commit, 'author', 'email'))]
  const page = pageOf(resource)
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    author: byline(name, mail),
    author_uids: uids(mail),
    description: text(commit.comment) ?? '',
    timestamp: time(at(commit, 'author', 'date')) ?? null,
    files: null,
    ...(page !== undefined && {
      url: `${page}/commit/${identifier}`,
      file_url: `${page}?version=GC${identifier}&path=/{path}&line={line}`,
    }),
  }
}
