import type { Since } from '../../contract/params.ts'
import { DAYS_MAX } from '../../contract/params.ts'
import type { ApprovalStatus, EventType } from '../../contract/sets.ts'
import { join, raw, type Sql, sql } from '../../db/database.ts'
import { count, type Key } from '../../db/page.ts'
import { PASSED, PASSED_OR_FAILED } from '../builds/statuses.ts'

/** What a reader wants to see of an account. */
export interface FeedQuery {
  limit: number
  days_back: number
  since?: Since
  types?: EventType[]
  project_id?: number
  cursor?: Key
}

/** The sources in the order in which ties are broken, and how each is walked. */
const SOURCES = ['approval', 'build', 'change', 'deployment', 'task'] as const
export type Kind = (typeof SOURCES)[number]

interface Source {
  table: string
  at: string
  id: 'id' | 'number'
  /** How its ids compare. */
  type: 'integer' | 'uuid'
  /** Which rows give an event of these types, each condition walked in an index of its own; none when nobody asked. */
  filter(types: readonly EventType[] | undefined): Sql[]
  /** What the event is made from: five texts. */
  facts: Sql
}

const only = (type: EventType, condition: Sql) => (types: readonly EventType[] | undefined) =>
  types === undefined || types.includes(type) ? [condition] : []

const APPROVAL_STATUS: Partial<Record<EventType, ApprovalStatus>> = {
  'approval.requested': 'pending',
  'approval.granted': 'approved',
  'approval.denied': 'denied',
  'approval.ignored': 'ignored',
}

const sources: Record<Kind, Source> = {
  approval: {
    table: 'approvals',
    at: 'happened_at',
    id: 'id',
    type: 'uuid',
    filter: (types) =>
      types === undefined || Object.keys(APPROVAL_STATUS).every((type) => types.includes(type as EventType))
        ? [sql`true`]
        : types.flatMap((type) => (APPROVAL_STATUS[type] ? [sql`s.status = ${APPROVAL_STATUS[type]}`] : [])),
    facts: sql`s.status, s.asset_id::text, s.approval_stage, s.asset_version::text, s.approver_user_id::text`,
  },
  build: {
    table: 'build_runs',
    at: 'happened_at',
    id: 'id',
    type: 'integer',
    filter(types) {
      const [passed, failed] = [
        types === undefined || types.includes('build_run.completed'),
        types === undefined || types.includes('build_run.failed'),
      ]
      if (passed && failed) return [sql`s.status in ${PASSED_OR_FAILED}`]
      if (passed) return [sql`s.status in ${PASSED}`]
      return failed ? [sql`s.status = 'failed'`] : []
    },
    facts: sql`s.status, s.ci_job_name, s.build_number, s.duration_seconds::text, null::text`,
  },
  change: {
    table: 'changes',
    at: 'timestamp',
    id: 'id',
    type: 'integer',
    filter: only('change.submitted', sql`s.orphaned_at is null`),
    facts: sql`s.author, s.display_identifier, left(s.description, 300), s.asset_count::text, null::text`,
  },
  deployment: {
    table: 'deployments',
    at: 'created_at',
    id: 'number',
    type: 'integer',
    filter: only('deployment.created', sql`true`),
    facts: sql`s.status, s.platform, s.version, s.branch, null::text`,
  },
  task: {
    table: 'tasks',
    at: 'updated_at',
    id: 'id',
    type: 'integer',
    filter: only('task.state_changed', sql`true`),
    facts: sql`s.state, s.title, s.assignee_handle, s.user_id::text, s.created_by_user_id::text`,
  },
}

const column = (name: string) => raw(`s.${name}`)

/** Ids compare as what they are: numbers as numbers, UUIDs as UUIDs. */
const keysOf = ({ id, type }: Source) => (type === 'uuid' ? sql`null::integer, ${column(id)}` : sql`${column(id)}, null::uuid`)

const oldest = ({ since, days_back }: FeedQuery, timezone: Sql): Sql => {
  if (since === undefined) return sql`now() - make_interval(days => ${days_back})`
  const asked = 'instant' in since ? sql`${since.instant}::timestamptz` : sql`${since.wall}::timestamp at time zone ${timezone}`
  return sql`greatest(${asked}, now() - make_interval(days => ${DAYS_MAX}))`
}

/** Where a branch goes on after the last event of the page before: its own kind by id, the others by their place in the order. */
function after({ cursor }: FeedQuery, kind: Kind, { at, id, type }: Source): Sql {
  if (cursor === undefined) return sql`true`
  const split = cursor.id.indexOf('|')
  const rank = SOURCES.indexOf(kind) - SOURCES.indexOf(cursor.id.slice(0, split) as Kind)
  const time = sql`${cursor.at}::timestamptz`
  if (rank > 0) return sql`${column(at)} < ${time}`
  if (rank < 0) return sql`${column(at)} <= ${time}`
  const last = cursor.id.slice(split + 1)
  const key = type === 'uuid' ? sql`${last}::uuid` : sql`${last}::integer`
  return sql`(${column(at)}, ${column(id)}) < (${time}, ${key})`
}

/** Newest first over all sources, `limit + 1` rows: every branch walks its own index and stops there, however much lies behind. */
export function events(account: Sql, timezone: Sql, q: FeedQuery): Sql {
  const place =
    q.project_id === undefined
      ? sql`s.account_id = ${account}`
      : sql`s.project_id = ${q.project_id} and s.account_id = ${account}`
  const branches = SOURCES.flatMap((kind, rank) => {
    const source = sources[kind]
    const [at, id] = [column(source.at), column(source.id)]
    return source.filter(q.types).map(
      (condition) => sql`(
        select ${raw(String(rank))}, ${at}, ${keysOf(source)}, s.project_id, ${source.facts}, null::text from ${raw(source.table)} s
        where ${place} and ${condition} and ${at} >= ${oldest(q, timezone)} and ${after(q, kind, source)}
        order by ${at} desc, ${id} desc limit ${count(q.limit + 1)})`,
    )
  })
  return sql`
    select * from (${join(branches, ' union all ')}) f (rank, at, number, uuid, project_id, a, b, c, d, e, row_id)
    order by at desc, rank desc, number desc, uuid desc limit ${count(q.limit + 1)}`
}

/** Rows by name, for the stream: what the outbox speaks of, as it stands now. */
export const eventsNamed = (named: readonly { kind: Kind; row_id: string }[]): Sql =>
  sql`select * from (${join(
    SOURCES.map((kind, rank) => {
      const source = sources[kind]
      const ids = named.filter((one) => one.kind === kind).map((one) => one.row_id)
      const id = kind === 'approval' || kind === 'deployment' ? sql`${ids}::uuid[]` : sql`${ids}::integer[]`
      return sql`select ${raw(String(rank))}, ${column(source.at)}, ${keysOf(source)}, s.project_id, ${source.facts}, s.id::text
        from ${raw(source.table)} s where s.id = any (${id}) and ${source.filter(undefined)[0]}`
    }),
    ' union all ',
  )}) f (rank, at, number, uuid, project_id, a, b, c, d, e, row_id)`

/** The rows with what only their neighbours know: names of projects and assets, what an investigation found. */
export const described = (rows: Sql): Sql => sql`
  select x.rank, x.at, coalesce(x.number::text, x.uuid::text) as id, x.project_id, p.name as project_name,
    x.a, x.b, x.c, x.d, x.e, x.row_id, n.asset_name, n.category, n.likely
  from (${rows}) x join projects p on p.id = x.project_id
  left join lateral (
    select s.name as asset_name, null::text as category, null::text as likely
      from assets s where x.rank = 0 and s.id = x.b::uuid
    union all
    select null, i.category, (select c.display_identifier from changes c where c.id = (i.suspects -> 0 ->> 'change_id')::integer)
      from (select category, suspects from investigations i
        where x.rank = 1 and x.a = 'failed' and i.build_run_id = x.number and i.status = 'completed' order by i.id desc limit 1) i
  ) n on true
  order by x.at desc, x.rank desc, x.number desc, x.uuid desc`

export const kindOf = (rank: number): Kind => SOURCES[rank]!
