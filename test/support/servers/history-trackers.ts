import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { openLocalServer } from './local-server.ts'

/** An issue of a tracker, whatever the tracker calls it. */
export interface Issue {
  number: number
  title: string
  state: string
  /** Their id at the tracker. */
  assignee: string | null
  /** ISO 8601, by the second. */
  updated: string
}

interface Reply {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

interface Asked {
  url: URL
  // biome-ignore lint/suspicious/noExplicitAny: JSON of a request, read as the vendor reads it
  body: any
  headers: IncomingMessage['headers']
}

/** A tracker as documented: its token, its pages, its limits, its webhooks. */
export interface Tracker {
  name: string
  provider: 'jira' | 'linear' | 'trello' | 'asana' | 'monday'
  config(url: string): object
  /** Undefined: nothing is there. */
  answer(asked: Asked, issues: Issue[]): Reply | undefined
  /** How it refuses too many requests. */
  limited: Reply
  /** The bodies of its webhooks about an issue as it is now. */
  told(issue: Issue): object[]
  deleted(issue: Issue): object
  /** Its webhooks leave out names and states. */
  compact?: true
}

const refused: Reply = { status: 401, body: { message: 'Unauthorized' } }
const page = <T>(all: T[], from: number, size: number) => all.slice(from, from + size)
const count = (value: unknown, most: number) => {
  const asked = Number(value)
  if (!(asked >= 1 && asked <= most)) throw new Error(`A page of ${value} is not allowed.`)
  return asked
}
const newest = (issues: Issue[]) => issues.toSorted((one, other) => other.number - one.number)

/* Jira */
const jiraIssue = ({ number, title, state, assignee, updated }: Issue, isCloud: boolean) => ({
  id: String(10_000 + number),
  key: `GAME-${number}`,
  self: `https://owl.atlassian.net/rest/api/2/issue/${10_000 + number}`,
  fields: {
    summary: title,
    status: { name: state },
    assignee: assignee === null ? null : isCloud ? { accountId: assignee } : { name: assignee },
    updated: updated.replace('Z', '.000+0000'),
  },
})
function jql(asked: string | null, issues: Issue[]): Issue[] {
  const [, project, since] =
    /^project in \("([A-Z]+)"\) and updated >= "(\d{4}-\d\d-\d\d)"( order by created desc)?$/.exec(asked ?? '') ?? []
  if (since === undefined) throw new Error(`Jira does not understand ${asked}`)
  return project === 'GAME' ? newest(issues).filter(({ updated }) => updated >= since) : []
}
const jira = (isCloud: boolean): Tracker => ({
  name: isCloud ? 'Jira Cloud' : 'Jira Data Center',
  provider: 'jira',
  config: (url) => ({ server: url, projects: 'GAME', api_token: 'secret', ...(isCloud && { user: 'kim@owl.example' }) }),
  limited: { status: 429, headers: { 'retry-after': '30' }, body: {} },
  answer({ url, body, headers }, issues) {
    const basic = `Basic ${Buffer.from('kim@owl.example:secret').toString('base64')}`
    if (headers.authorization !== (isCloud ? basic : 'Bearer secret')) return refused
    const asked = (name: string) => url.searchParams.get(name)
    if (url.pathname === '/rest/api/2/serverInfo') return { body: { deploymentType: isCloud ? 'Cloud' : 'Server' } }
    if (isCloud && url.pathname === '/rest/api/3/search/approximate-count')
      return { body: { count: jql(body.jql, issues).length } }
    if (url.pathname !== (isCloud ? '/rest/api/3/search/jql' : '/rest/api/2/search')) return
    const found = jql(asked('jql'), issues)
    if (!isCloud && asked('maxResults') === '0') return { body: { startAt: 0, maxResults: 0, total: found.length, issues: [] } }
    // Jira decides how many it returns; never more than asked for.
    const size = Math.min(60, count(asked('maxResults'), 5000))
    if (!isCloud) {
      const from = Number(asked('startAt') ?? 0)
      const shown = page(found, from, size).map((one) => jiraIssue(one, false))
      return { body: { startAt: from, maxResults: size, total: found.length, issues: shown } }
    }
    const from = Number(asked('nextPageToken')?.slice(1) ?? 0)
    const token = from + size < found.length ? { nextPageToken: `t${from + size}` } : {}
    return { body: { issues: page(found, from, size).map((one) => jiraIssue(one, true)), ...token } }
  },
  told: (issue) => [
    { webhookEvent: 'jira:issue_updated', timestamp: Date.parse(issue.updated), issue: jiraIssue(issue, isCloud) },
  ],
  deleted: (issue) => ({
    webhookEvent: 'jira:issue_deleted',
    timestamp: Date.parse(issue.updated) + 5000,
    issue: jiraIssue(issue, isCloud),
  }),
})

/* Linear */
const linearIssue = ({ number, title, state, assignee, updated }: Issue) => ({
  identifier: `GAM-${number}`,
  title,
  url: `https://linear.app/owl/issue/GAM-${number}/slug`,
  updatedAt: updated,
  state: { name: state },
  assignee: assignee === null ? null : { id: assignee },
})
const linear: Tracker = {
  name: 'Linear',
  provider: 'linear',
  config: (url) => ({ server: `${url}/graphql`, teams: 'gam, OPS', api_token: 'secret' }),
  limited: { status: 400, body: { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] } },
  answer({ url, body, headers }, issues) {
    if (headers.authorization !== 'secret') return refused
    if (url.pathname !== '/graphql') return
    const { first, after, filter } = body.variables
    const wanted = filter.team.key.in.includes('GAM') ? issues : []
    const found = wanted
      .filter(({ updated }) => updated >= filter.updatedAt.gte)
      .toSorted((one, other) => (one.updated < other.updated ? 1 : -1))
    const from = after === null ? 0 : Number(after.slice(1))
    const size = count(first, 250)
    const isMore = from + size < found.length
    return {
      headers: {
        'x-ratelimit-requests-limit': '5000',
        'x-ratelimit-requests-remaining': '4900',
        'x-ratelimit-requests-reset': String(Date.now() + 3_600_000),
        'x-ratelimit-complexity-limit': '250000',
        'x-ratelimit-complexity-remaining': '240000',
        'x-ratelimit-complexity-reset': String(Date.now() + 3_600_000),
      },
      body: {
        data: {
          issues: {
            nodes: page(found, from, size).map(linearIssue),
            pageInfo: { hasNextPage: isMore, endCursor: isMore ? `c${from + size}` : null },
          },
        },
      },
    }
  },
  told: (issue) => [
    { type: 'Issue', action: 'update', createdAt: issue.updated, webhookTimestamp: Date.now(), data: linearIssue(issue) },
  ],
  deleted: (issue) => ({
    type: 'Issue',
    action: 'remove',
    createdAt: new Date(Date.parse(issue.updated) + 5000).toISOString(),
    webhookTimestamp: Date.now(),
    data: linearIssue(issue),
  }),
}

/* Trello */
const LISTS = ['To do', 'Doing', 'Done']
const cardId = (number: number) => `5${number.toString(16).padStart(23, '0')}`
const card = ({ number, title }: Issue) => ({ id: cardId(number), shortLink: `card${number}`, name: title })
const trello: Tracker = {
  name: 'Trello',
  provider: 'trello',
  config: (url) => ({ server: `${url}/1/boards/nC8QJJoZ`, api_key: 'key', api_token: 'secret' }),
  limited: { status: 429, body: { error: 'API_TOKEN_LIMIT_EXCEEDED', message: 'Rate limit exceeded' } },
  answer({ url, headers }, issues) {
    if (headers.authorization !== 'OAuth oauth_consumer_key="key", oauth_token="secret"') return refused
    const asked = (name: string) => url.searchParams.get(name)
    if (url.pathname === '/1/boards/nC8QJJoZ')
      return {
        body: {
          id: 'b',
          lists: LISTS.map((name, at) => ({ id: `l${at}`, name })),
          members: ['11', '12'].map((username) => ({ id: `id-${username}`, username })),
        },
      }
    if (url.pathname !== '/1/boards/nC8QJJoZ/cards/all' || asked('sort') !== '-id') return
    const before = asked('before')
    const found = newest(issues).filter(({ number }) => before === null || cardId(number) < before)
    const shown = page(found, 0, count(asked('limit'), 1000)).map((issue) => ({
      ...card(issue),
      closed: issue.state === 'Archived',
      idList: `l${Math.max(0, LISTS.indexOf(issue.state))}`,
      idMembers: issue.assignee === null ? [] : [`id-${issue.assignee}`],
      dateLastActivity: issue.updated,
    }))
    return { body: shown }
  },
  told: (issue) => [
    {
      action: {
        id: `a${issue.number}`,
        type: 'updateCard',
        date: issue.updated,
        data: { card: { ...card(issue), closed: issue.state === 'Archived' }, list: { name: issue.state } },
      },
    },
    {
      action: {
        id: `m${issue.number}`,
        date: issue.updated,
        ...(issue.assignee === null
          ? { type: 'removeMemberFromCard', member: { username: '12' } }
          : { type: 'addMemberToCard', member: { username: issue.assignee } }),
        data: { card: card(issue) },
      },
    },
  ],
  deleted: (issue) => ({
    action: {
      id: `d${issue.number}`,
      type: 'deleteCard',
      date: new Date(Date.parse(issue.updated) + 5000).toISOString(),
      data: { card: { id: cardId(issue.number), shortLink: `card${issue.number}` } },
    },
  }),
}

/* Asana */
const gid = (number: number) => String(1_200_000_000 + number)
const asana: Tracker = {
  name: 'Asana',
  provider: 'asana',
  compact: true,
  config: (url) => ({ server: `${url}/api/1.0/projects/77`, api_token: 'secret' }),
  limited: { status: 429, headers: { 'retry-after': '30' }, body: { errors: [{ message: 'You have made too many requests.' }] } },
  answer({ url, headers }, issues) {
    if (headers.authorization !== 'Bearer secret') return refused
    const asked = (name: string) => url.searchParams.get(name)
    if (url.pathname === '/api/1.0/projects/77') return { body: { data: { gid: '77', workspace: { gid: '1' } } } }
    if (url.pathname !== '/api/1.0/tasks' || asked('project') !== '77') return
    const found = issues.filter(({ updated }) => updated >= asked('modified_since')!)
    const size = count(asked('limit'), 100)
    const from = Number(asked('offset')?.slice(3) ?? 0)
    const data = page(found, from, size).map(({ number, title, state, assignee, updated }) => ({
      gid: gid(number),
      name: title,
      completed: state === 'Completed',
      modified_at: updated,
      assignee: assignee === null ? null : { gid: assignee },
      memberships: [{ project: { gid: '77' }, section: { name: state } }],
    }))
    return { body: { data, next_page: from + size < found.length ? { offset: `eyJ${from + size}` } : null } }
  },
  told: ({ number, assignee, updated }) => [
    {
      events: [
        {
          action: 'changed',
          created_at: updated,
          resource: { gid: gid(number), resource_type: 'task' },
          change: { field: 'assignee', action: 'changed', new_value: assignee === null ? null : { gid: assignee } },
        },
      ],
    },
  ],
  deleted: ({ number, updated }) => ({
    events: [
      {
        action: 'deleted',
        created_at: new Date(Date.parse(updated) + 5000).toISOString(),
        resource: { gid: gid(number), resource_type: 'task' },
      },
    ],
  }),
}

/* monday.com */
const columns = ({ state, assignee }: Issue) => [
  {
    id: 'person',
    type: 'people',
    text: '',
    value: JSON.stringify({ personsAndTeams: assignee === null ? [] : [{ id: Number(assignee), kind: 'person' }] }),
    column: { title: 'Owner' },
  },
  { id: 'priority', type: 'status', text: 'High', value: '{"index":1}', column: { title: 'Priority' } },
  { id: 'status', type: 'status', text: state, value: '{"index":2}', column: { title: 'Status' } },
]
const monday: Tracker = {
  name: 'monday.com',
  provider: 'monday',
  config: (url) => ({ server: `${url}/v2`, board: '4321', api_token: 'secret' }),
  limited: {
    body: {
      errors: [
        { message: 'Complexity budget exhausted', extensions: { code: 'COMPLEXITY_BUDGET_EXHAUSTED', retry_in_seconds: 30 } },
      ],
    },
  },
  answer({ url, body, headers }, issues) {
    if (headers.authorization !== 'secret') return refused
    if (url.pathname !== '/v2') return
    const { board, limit, cursor } = body.variables
    const isFirst = cursor === undefined
    if (isFirst && board[0] !== '4321') return { body: { data: { boards: [] } } }
    const found = issues.toSorted((one, other) => (one.updated < other.updated ? 1 : -1))
    const from = isFirst ? 0 : Number(cursor.slice(1))
    const size = count(limit, 500)
    const shown = {
      cursor: from + size < found.length ? `k${from + size}` : null,
      items: page(found, from, size).map((issue) => ({
        id: gid(issue.number),
        name: issue.title,
        updated_at: issue.updated,
        column_values: columns(issue),
      })),
    }
    const complexity = { before: 5_000_000, after: 4_990_000, reset_in_x_seconds: 40 }
    return { body: { data: { complexity, ...(isFirst ? { boards: [{ items_page: shown }] } : { next_items_page: shown }) } } }
  },
  told: ({ number, title, state, assignee, updated }) => {
    const event = { pulseId: Number(gid(number)), pulseName: title, triggerTime: updated }
    return [
      {
        event: {
          ...event,
          type: 'update_column_value',
          columnId: 'status',
          columnType: 'color',
          value: { label: { text: state } },
        },
      },
      {
        event: {
          ...event,
          type: 'update_column_value',
          columnId: 'person',
          columnType: 'multiple-person',
          value: { personsAndTeams: assignee === null ? [] : [{ id: Number(assignee), kind: 'person' }] },
        },
      },
    ]
  },
  deleted: ({ number, updated }) => ({
    event: {
      type: 'delete_pulse',
      itemId: Number(gid(number)),
      triggerTime: new Date(Date.parse(updated) + 5000).toISOString(),
    },
  }),
}

export const TRACKERS: Tracker[] = [jira(true), jira(false), linear, trello, asana, monday]

/** A server of a tracker; `instead` answers in its place. */
export async function openTracker(tracker: Tracker, issues: Issue[]) {
  const state = { calls: [] as string[], instead: undefined as ((asked: Asked) => Reply | string | undefined) | undefined }
  const send = (reply: ServerResponse, { status = 200, headers = {}, body }: Reply) =>
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  const { url, close } = await openLocalServer(async (request, reply) => {
    const asked: Asked = {
      url: new URL(request.url!, 'http://tracker'),
      body: request.method === 'POST' ? await json(request) : undefined,
      headers: request.headers,
    }
    state.calls.push(request.url!)
    const instead = state.instead?.(asked)
    if (typeof instead === 'string') reply.writeHead(200, { 'content-type': 'text/html' }).end(instead)
    else send(reply, instead ?? tracker.answer(asked, issues) ?? { status: 404, body: {} })
  })
  return { url, close, state }
}
