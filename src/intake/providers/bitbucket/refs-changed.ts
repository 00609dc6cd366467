import type { ChangeFact, Fact } from '../../facts.ts'
import { at, byline, type Json, objects, text, time, Unreadable, uids } from '../../reading.ts'
import { chain, commitOf, isNothing } from '../../reports/git-push.ts'
import { serverPage, serverRepository } from './repository.ts'

/** Newer versions list the commits, newest first. Older ones report only where a branch is now. Nobody reports forced pushes. */
export function refsChanged(body: Json): Fact[] {
  if (!Array.isArray(body.changes)) throw new Unreadable('A push must list its changes.')
  const repository = serverRepository(body.repository)
  const updates = objects(body.changes).flatMap((moved) => {
    const branch = text(at(moved, 'ref', 'displayId'))
    if (branch === undefined || at(moved, 'ref', 'type') !== 'BRANCH') return []
    const told = { branch, ...(repository && { repository }) }
    return [{ told, before: commitOf(moved.fromHash), after: commitOf(moved.toHash), isGone: isNothing(moved.toHash) }]
  })
  const moves = updates.flatMap(({ told, before, after, isGone }): Fact[] => {
    if (isGone) return [{ kind: 'branch_deleted', ...told, ...(before !== undefined && { head: before }) }]
    return before === undefined && after !== undefined ? [{ kind: 'branch_created', ...told, head: after }] : []
  })
  const alive = updates.filter(({ isGone }) => !isGone)
  return [...moves, ...(Array.isArray(body.commits) ? listed(body, alive) : heads(body, alive))]
}

type Updates = { told: Pick<ChangeFact, 'branch' | 'repository'>; before: string | undefined; after: string | undefined }[]

/** A push to several branches doesn't say which commits are on which. */
function listed(body: Json, updates: Updates): ChangeFact[] {
  const commits = objects(body.commits)
  if (updates.length === 0) return []
  const [only] = updates.length === 1 ? updates : []
  const told = only?.told ?? { ...updates[0]!.told, branch: '' }
  const changes = new Map<string, ChangeFact>()
  for (const commit of commits.toReversed()) {
    const identifier = text(commit.id)
    if (identifier === undefined) throw new Unreadable('Every commit of a push must have an id.')
    changes.set(identifier, { ...change(identifier, commit, body), ...told })
  }
  // The list may be cut: it begins after the previous head only if a commit names that as its parent.
  const isWhole = commits.some(({ parents }) => objects(parents).some(({ id }) => id === only?.before))
  if (only) chain(changes.values(), isWhole ? only.before : undefined)
  return [...changes.values()]
}

/** Only the newest commit of each branch is known, and nothing about it. That of a new branch is often an old one. */
const heads = (body: Json, updates: Updates): ChangeFact[] =>
  updates.flatMap(({ told, before, after }) =>
    before === undefined || after === undefined ? [] : [{ ...change(after, {}, body), ...told }],
  )

function change(identifier: string, commit: Json, body: Json): Omit<ChangeFact, 'branch'> {
  const { author } = commit
  const [login, mail] = [text(at(author, 'slug')), text(at(author, 'emailAddress'))]
  const page = serverPage(body.repository)?.replace(/\/browse$/, '')
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    // Of a person without an account, the name is what git has.
    author: byline(at(author, 'displayName') ?? at(author, 'name'), mail),
    author_uids: uids(login, login === undefined ? undefined : at(author, 'name'), mail),
    description: text(commit.message) ?? '',
    // A number or a text, depending on the version.
    timestamp: time(commit.authorTimestamp) ?? null,
    files: null,
    ...(page !== undefined && {
      url: `${page}/commits/${identifier}`,
      file_url: `${page}/browse/{path}?at=${identifier}#{line}`,
    }),
  }
}
