import type { ChangedFile, ChangeFact, Repository } from '../../facts.ts'
import { filesOnly, type History, type HistoryReply, linkedPage } from '../../history/history.ts'
import { at, byline, type Json, link, number, object, objects, text, time, uids, word } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { workflowRun } from './builds.ts'
import { deploymentStatus, release } from './deployments.ts'
import { placesOf, repositoryOf } from './push.ts'

const PAGE = 100
const DAY_MS = 86_400_000

/** The default branch: other branches also list all of its commits, though they were not pushed there. */
const commits = ({ since, until, about }: { since: string; until: string; about: Json }) =>
  new URLSearchParams({ sha: text(about.branch) ?? 'HEAD', since, until })

/** A search returns at most 1,000 runs: each page is one of a day. The days go back from the newest. */
const dayOf = (cursor: Json, until: string) => {
  const day = text(cursor.day) ?? until.slice(0, 10)
  return { day, page: number(cursor.page) ?? 1 }
}
const dayBefore = (day: string) => new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)

export const history: History = {
  headers: (config) => ({
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${text(config.api_token) ?? ''}`,
    'x-github-api-version': '2022-11-28',
  }),
  conditional: true,
  about: {
    path: '',
    read: (body) => ({
      repository: repositoryOf({ repository: body }) ?? null,
      page: link(at(body, 'html_url')) ?? null,
      branch: text(at(body, 'default_branch')) ?? null,
    }),
  },
  parts: [
    {
      name: 'changes',
      needs: 'Contents: read',
      count: {
        request: (asked) => ({ path: `/commits?${commits(asked)}&per_page=1` }),
        read: ({ headers, body }) => linkedPage(headers, 'last') ?? objects(body).length,
      },
      page: (asked) => ({ path: `/commits?${commits(asked)}&per_page=${PAGE}&page=${number(asked.cursor.page) ?? 1}` }),
      read({ headers, body }, { about }) {
        const page = linkedPage(headers, 'next')
        return { facts: objects(body).flatMap((commit) => commitFact(commit, about)), ...(page && { next: { page } }) }
      },
    },
    {
      name: 'builds',
      needs: 'Actions: read',
      count: {
        request: ({ since }) => ({ path: `/actions/runs?created=${encodeURIComponent(`>=${since.slice(0, 10)}`)}&per_page=1` }),
        read: ({ body }) => number(at(body, 'total_count')),
      },
      page({ cursor, until }) {
        const { day, page } = dayOf(cursor, until)
        return { path: `/actions/runs?created=${day}&per_page=${PAGE}&page=${page}` }
      },
      read({ body }, { cursor, since, until, about }) {
        const { day, page } = dayOf(cursor, until)
        const runs = objects(at(body, 'workflow_runs'))
        const facts = runs.flatMap((run) => runFact(run, about))
        const isMore = runs.length === PAGE && page * PAGE < Math.min(1000, number(at(body, 'total_count')) ?? 0)
        if (isMore) return { facts, next: { day, page: page + 1 } }
        return day > since.slice(0, 10) ? { facts, next: { day: dayBefore(day) } } : { facts }
      },
    },
    {
      name: 'deployments',
      needs: 'Deployments: read',
      page: ({ cursor }) => ({ path: `/deployments?per_page=${PAGE}&page=${number(cursor.page) ?? 1}` }),
      details: ({ body }, { since }) =>
        objects(body)
          .filter(isSince(since))
          .map((one) => ({ path: statusesOf(one) })),
      read(reply, { since }) {
        const page = linkedPage(reply.headers, 'next')
        const listed = objects(reply.body)
        const wanted = listed.filter(isSince(since))
        // Newest first: an older one is the last.
        const isMore = page !== undefined && wanted.length === listed.length
        return { facts: factsOf(wanted, (one) => deploymentFacts(one, reply)), ...(isMore && { next: { page } }) }
      },
    },
    {
      name: 'releases',
      needs: 'Contents: read',
      page: ({ cursor }) => ({ path: `/releases?per_page=${PAGE}&page=${number(cursor.page) ?? 1}` }),
      read({ headers, body }, { since }) {
        const page = linkedPage(headers, 'next')
        const wanted = objects(body).filter(
          ({ published_at, created_at }) => (time(published_at) ?? time(created_at) ?? '') >= since,
        )
        // Listed newest first, but an old draft may have been published since: a whole page of old ones is the last.
        const isMore = page !== undefined && wanted.length > 0
        // As if the webhook of its publication had been sent; a draft is still read as a draft.
        return {
          facts: factsOf(wanted, (one) => release({ action: 'published', release: one })),
          ...(isMore && { next: { page } }),
        }
      },
    },
    {
      name: 'files',
      needs: 'Contents: read',
      ofChanges: true,
      page: ({ cursor }) => ({ path: `/commits/${text(cursor.identifier)}?per_page=300&page=${number(cursor.page) ?? 1}` }),
      read({ headers, body }, { cursor }) {
        const page = linkedPage(headers, 'next')
        const identifier = text(cursor.identifier)!
        return {
          facts: [filesOnly(identifier, objects(at(body, 'files')).flatMap(filesIn))],
          ...(page && { next: { identifier, page } }),
        }
      },
    },
  ],
}

const isSince =
  (since: string) =>
  ({ id, created_at }: Json) =>
    word(id) !== undefined && (time(created_at) ?? '') >= since

const statusesOf = ({ id }: Json) => `/deployments/${word(id)}/statuses?per_page=${PAGE}`

/** As its webhooks tell it: a status at a time. The newest is listed first. */
const deploymentFacts = (deployment: Json, { details }: HistoryReply) =>
  objects(details.get(statusesOf(deployment)))
    .toReversed()
    .flatMap((deployment_status) => deploymentStatus({ deployment, deployment_status }))

/** A push tells a renamed file as added and its old name as removed. */
function filesIn(file: Json): ChangedFile[] {
  const path = text(file.filename)
  const before = text(file.previous_filename)
  if (path === undefined) return []
  const status = text(file.status)
  if (status === 'renamed' && before !== undefined)
    return [
      { path, action: 'add' },
      { path: before, action: 'delete' },
    ]
  return [{ path, action: status === 'added' || status === 'copied' ? 'add' : status === 'removed' ? 'delete' : 'edit' }]
}

function commitFact(commit: Json, about: Json): ChangeFact[] {
  const identifier = text(commit.sha)
  const branch = text(about.branch)
  if (identifier === undefined || branch === undefined) return []
  const author = object(at(commit, 'commit', 'author'))
  const login = text(at(commit, 'author', 'login'))
  const repository = object(about.repository) as unknown as Repository | undefined
  const follows = text(at(commit, 'parents', 0, 'sha'))
  return [
    {
      kind: 'change',
      source_type: 'GitCommit',
      identifier,
      author: byline(at(author, 'name') ?? login, at(author, 'email')),
      author_uids: uids(login, at(commit, 'author', 'id'), at(author, 'email')),
      description: text(at(commit, 'commit', 'message')) ?? '',
      timestamp: time(at(commit, 'commit', 'committer', 'date') ?? at(author, 'date')) ?? null,
      branch,
      ...(repository && { repository }),
      ...(follows !== undefined && { follows }),
      files: null,
      ...placesOf(text(about.page), identifier),
    },
  ]
}

/** A listed run is read as if its webhook had been sent. */
const runFact = (run: Json, about: Json) =>
  word(run.id) === undefined || run.status !== 'completed'
    ? []
    : workflowRun({
        action: 'completed',
        workflow_run: run,
        repository: run.repository ?? { full_name: at(about, 'repository', 'name') },
      })
