import type { ChangeFact } from '../../facts.ts'
import type { Asked, History, HistoryPage, HistoryReply, HistoryRequest } from '../../history/history.ts'
import { at, type Json, number, object, objects, text } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { buildComplete } from './builds.ts'
import { listedDeployment } from './deployments.ts'
import { hostOf } from './hosts.ts'
import { change } from './push.ts'
import { pullRequest, workItem } from './references.ts'
import { repositoryOf } from './repository.ts'

const PAGE = 100
const VERSION = 'api-version=7.1'

export const headers = (config: Readonly<Json>) => ({
  authorization: `Basic ${Buffer.from(`:${text(config.api_token) ?? ''}`).toString('base64')}`,
})

export const history: History = {
  headers,
  about: {
    path: `/_apis/git/repositories?${VERSION}`,
    read: (body) => ({
      repositories: objects(at(body, 'value')).flatMap(({ id, name, remoteUrl, defaultBranch, project, isDisabled }) =>
        text(defaultBranch) === undefined || isDisabled === true
          ? []
          : [{ id, name, remoteUrl, defaultBranch, project: { name: at(project, 'name') } }],
      ),
    }),
  },
  parts: [
    {
      name: 'issues',
      needs: 'Work Items (read)',
      page: (asked) => (listOf(asked.cursor) === 'work_items' ? workItemIds(asked) : pullRequests(asked)),
      details: ({ body }, { cursor }) =>
        listOf(cursor) === 'work_items' && idsIn(body).length > 0 ? [workItems(idsIn(body))] : [],
      read: (reply, asked) => (listOf(asked.cursor) === 'work_items' ? readWorkItems(reply) : readPullRequests(reply, asked)),
    },
    {
      name: 'changes',
      needs: 'Code (read)',
      page({ cursor, since, until, about }) {
        const repository = repositoryAt(about, cursor)
        const query = new URLSearchParams({
          'searchCriteria.itemVersion.version': branchOf(repository),
          'searchCriteria.fromDate': since,
          'searchCriteria.toDate': until,
          'searchCriteria.$skip': String(number(cursor.skip) ?? 0),
          // Commits are listed without their parents: one more tells what the last of the page follows.
          'searchCriteria.$top': String(PAGE + 1),
        })
        return { path: `/_apis/git/repositories/${encodeURIComponent(text(repository.id) ?? '')}/commits?${query}&${VERSION}` }
      },
      read({ body }, { cursor, about }) {
        const repository = repositoryAt(about, cursor)
        const listed = objects(at(body, 'value'))
        const facts = listed.slice(0, PAGE).flatMap((commit, at) => commitFact(commit, listed[at + 1], repository))
        if (listed.length > PAGE)
          return { facts, next: { repository: number(cursor.repository) ?? 0, skip: (number(cursor.skip) ?? 0) + PAGE } }
        const next = (number(cursor.repository) ?? 0) + 1
        return next < objects(about.repositories).length ? { facts, next: { repository: next }, isOtherBranch: true } : { facts }
      },
    },
    {
      name: 'builds',
      needs: 'Build (read)',
      page({ cursor, since }) {
        const token = text(cursor.token)
        const query = new URLSearchParams({
          statusFilter: 'completed',
          queryOrder: 'queueTimeDescending',
          minTime: since,
          $top: String(PAGE),
          ...(token !== undefined && { continuationToken: token }),
        })
        return { path: `/_apis/build/builds?${query}&${VERSION}` }
      },
      read({ headers, body }) {
        const token = text(headers['x-ms-continuationtoken'])
        const facts = factsOf(objects(at(body, 'value')), (build) => buildComplete({}, build))
        return { facts, ...(token !== undefined && { next: { token } }) }
      },
    },
    {
      name: 'deployments',
      needs: 'Release (read)',
      page({ config, cursor, since }) {
        const token = text(cursor.token)
        const query = new URLSearchParams({
          minModifiedTime: since,
          queryOrder: 'descending',
          $top: String(PAGE),
          ...(token !== undefined && { continuationToken: token }),
        })
        return { server: hostOf(text(config.server) ?? '', 'vsrm'), path: `/_apis/release/deployments?${query}&${VERSION}` }
      },
      read({ headers, body }) {
        const token = text(headers['x-ms-continuationtoken'])
        return { facts: factsOf(objects(at(body, 'value')), listedDeployment), ...(token !== undefined && { next: { token } }) }
      },
    },
  ],
}

/** A query returns at most so many work items with their fields. */
const WORK_ITEMS = 200
const FIELDS = ['Title', 'State', 'AssignedTo', 'ChangedDate'].map((name) => `System.${name}`)

const listOf = (cursor: Json) => (cursor.list === 'pull_requests' ? 'pull_requests' : 'work_items')

/** By id: a work item that changes meanwhile stays on its page. */
function workItemIds({ cursor, since }: Asked): HistoryRequest {
  const before = number(cursor.before)
  const older = before === undefined ? '' : ` and [System.Id] < ${before}`
  const where = `[System.TeamProject] = @project and [System.ChangedDate] >= '${since}'${older}`
  const query = `select [System.Id] from WorkItems where ${where} order by [System.Id] desc`
  return { path: `/_apis/wit/wiql?timePrecision=true&$top=${WORK_ITEMS}&${VERSION}`, body: { query } }
}

const idsIn = (body: unknown) => objects(at(body, 'workItems')).flatMap(({ id }) => number(id) ?? [])

const workItems = (ids: number[]): HistoryRequest => ({
  path: WORK_ITEMS_BATCH,
  body: { ids, fields: FIELDS, errorPolicy: 'omit' },
})
const WORK_ITEMS_BATCH = `/_apis/wit/workitemsbatch?${VERSION}`

function readWorkItems({ body, details }: HistoryReply): HistoryPage {
  const ids = idsIn(body)
  const facts = factsOf(objects(at(details.get(WORK_ITEMS_BATCH), 'value')), (item) => workItem({}, item))
  return { facts, next: ids.length === WORK_ITEMS ? { before: ids.at(-1)! } : { list: 'pull_requests' } }
}

function pullRequests({ cursor, since }: Asked): HistoryRequest {
  const query = new URLSearchParams({
    'searchCriteria.status': 'all',
    'searchCriteria.queryTimeRangeType': 'created',
    'searchCriteria.minTime': since,
    $skip: String(number(cursor.skip) ?? 0),
    $top: String(PAGE),
  })
  return { path: `/_apis/git/pullrequests?${query}&${VERSION}` }
}

function readPullRequests({ body }: HistoryReply, { cursor, about }: Asked): HistoryPage {
  const listed = objects(at(body, 'value'))
  const facts = factsOf(listed, (one) => pullRequestFact(one, objects(about.repositories)))
  return { facts, ...(listed.length === PAGE && { next: { list: 'pull_requests', skip: (number(cursor.skip) ?? 0) + PAGE } }) }
}

/** Listed ones leave out the address of their repository. */
function pullRequestFact(listed: Json, repositories: Json[]) {
  const repository = { ...repositories.find(({ id }) => id === at(listed, 'repository', 'id')), ...object(listed.repository) }
  return pullRequest({ createdDate: listed.closedDate ?? listed.creationDate }, { ...listed, repository })
}

/** The repositories of the project are read one after the other. */
const repositoryAt = (about: Json, cursor: Json): Json => objects(about.repositories)[number(cursor.repository) ?? 0] ?? {}

const branchOf = ({ defaultBranch }: Json) => (text(defaultBranch) ?? '').replace(/^refs\/heads\//, '')

function commitFact(commit: Json, older: Json | undefined, repository: Json): ChangeFact[] {
  const identifier = text(commit.commitId)
  if (identifier === undefined) return []
  const follows = text(at(commit, 'parents', 0)) ?? text(older?.commitId)
  const told = repositoryOf(repository)
  return [
    {
      ...change(identifier, commit, { repository }),
      branch: branchOf(repository),
      ...(told && { repository: told }),
      ...(follows !== undefined && { follows }),
    },
  ]
}
