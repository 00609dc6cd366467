import {
  type EventFacts,
  type EventSource,
  FEED_EVENT_TYPES,
  type FeedEventType,
  feedTypeOf,
  rowOf,
} from '../../contract/events.ts'
import { DAYS_MAX, type Since } from '../../contract/params.ts'
import type { Event } from '../../contract/shapes.ts'
import { empty, join, raw, type Sql, sql } from '../../db/database.ts'
import { conditionsOf as partsOf, SOURCE_TABLES, type SourceTable } from '../../db/event-sources.ts'
import { inlineInteger, type Key } from '../../db/page.ts'
import { SUSPECTS } from '../builds/newest-investigation.ts'
import { eventOf } from './events.ts'

/** A reader's filter of the feed. */
export interface FeedQuery {
  limit: number
  days_back: number
  since?: Since
  types?: FeedEventType[]
  project_id?: number
  cursor?: Key
  /** Only what the reader did or has to do. */
  mine?: boolean | undefined
}

/** In the order that breaks ties. */
const SOURCES = [...new Set(FEED_EVENT_TYPES.map((type) => rowOf(type).source))].sort()

const column = (name: string) => raw(`s.${name}`)

/** Ids are compared by their type: numbers as numbers, UUIDs as UUIDs. */
const keysOf = ({ column, type }: SourceTable['key']) =>
  type === 'uuid' ? `null::bigint, s.${column}` : `s.${column}, null::uuid`

/** The facts of a source are one column: a column for each fact of all sources took PostgreSQL 50% longer. */
const selectedOf = (source: EventSource, { table, at, key, state, facts }: SourceTable) =>
  raw(`select '${source}' collate "C", s.${at}, ${keysOf(key)}, s.project_id, ${state ? `s.${state}` : 'null::text'},
    array[${Object.values(facts).join(', ')}]::text[] from ${table} s`)

/** For each source: its columns and its event types. Built once instead of with every request. */
const BRANCHES = SOURCES.map((source) => {
  const table: SourceTable = SOURCE_TABLES[source]
  const types = FEED_EVENT_TYPES.filter((type) => rowOf(type).source === source)
  return { source, table, selected: selectedOf(source, table), types, any: partsOf(types).map((part) => raw(part)) }
})
type Branch = (typeof BRANCHES)[number]

/** The conditions for rows of a source that give an event of these types, each read from its own index; none if not requested. */
function conditionsOf({ types, any }: Branch, asked: readonly FeedEventType[] | undefined): Sql[] {
  if (asked === undefined) return any
  const wanted = types.filter((type) => asked.includes(type))
  return wanted.length === types.length ? any : wanted.flatMap((type) => partsOf([type]).map((part) => raw(part)))
}

const oldest = ({ since, days_back }: FeedQuery, timezone: Sql): Sql => {
  if (since === undefined) return sql`now() - make_interval(days => ${days_back})`
  const asked = 'instant' in since ? sql`${since.instant}::timestamptz` : sql`${since.wall}::timestamp at time zone ${timezone}`
  return sql`greatest(${asked}, now() - make_interval(days => ${DAYS_MAX}))`
}

/** Where a branch continues after the last event of the previous page: in its own source by id, in the others by time and tie order. */
function after({ cursor }: FeedQuery, source: EventSource, { at, key }: SourceTable): Sql {
  if (cursor === undefined) return sql`true`
  const split = cursor.id.indexOf('|')
  const last = cursor.id.slice(0, split)
  const time = sql`${cursor.at}::timestamptz`
  if (source > last) return sql`${column(at)} < ${time}`
  if (source < last) return sql`${column(at)} <= ${time}`
  const lastKey = cursor.id.slice(split + 1)
  const id = key.type === 'uuid' ? sql`${lastKey}::uuid` : sql`${lastKey}::bigint`
  return sql`(${column(at)}, ${column(key.column)}) < (${time}, ${id})`
}

/** The projects that a reader has access to, and who they are. */
interface Seen {
  projects?: readonly number[] | undefined
  user?: Sql
}

/**
 * Newest first over all sources, `limit + 1` rows: every branch reads its own index and stops there, however long it is. With a list of
 * projects, it does so for each of them.
 */
export function events(account: Sql, timezone: Sql, q: FeedQuery, { projects, user = sql`null` }: Seen = {}): Sql {
  const project = q.project_id === undefined ? (projects ? sql`seen.project_id` : undefined) : sql`${q.project_id}`
  const place =
    project === undefined ? sql`s.account_id = ${account}` : sql`s.project_id = ${project} and s.account_id = ${account}`
  const since = oldest(q, timezone)
  const branches = BRANCHES.filter(({ table }) => !q.mine || table.person).flatMap((branch) => {
    const { source, table, selected } = branch
    const own = q.mine ? sql`and ${column(table.person!)} = ${user}` : empty
    const [at, id] = [column(table.at), column(table.key.column)]
    return conditionsOf(branch, q.types).map(
      (condition) => sql`(${selected} where ${place} ${own} and ${condition} and ${at} >= ${since} and ${after(q, source, table)}
        order by ${at} desc, ${id} desc limit ${inlineInteger(q.limit + 1)})`,
    )
  })
  // The requested types may have nothing to do with a person.
  const some = branches.length > 0 ? branches : [sql`(${BRANCHES[0]!.selected} where false)`]
  const all = sql`select * from (${join(some, ' union all ')}) f (source, at, number, uuid, project_id, state, facts)`
  return sql`
    select f.* from ${projects ? sql`unnest(${projects}::integer[]) seen (project_id) cross join lateral (${all}) f` : sql`(${all}) f`}
    order by at desc, source desc, number desc, uuid desc limit ${inlineInteger(q.limit + 1)}`
}

/** A record of the feed: its sort keys and the facts of its source. */
export type FeedRow = { source: EventSource; at: string; project_id: number; project_name: string } & EventFacts[EventSource]

/** The same as the database returns it. */
export type FoundRow = Omit<FeedRow, keyof EventFacts[EventSource]> & { facts: (string | null)[] }

const NAMES = Object.fromEntries(SOURCES.map((source) => [source, Object.keys(SOURCE_TABLES[source].facts)]))

/** The facts by name; assigned one by one, since spreading them took a tenth of a page's cost. */
export function named({ facts, ...row }: FoundRow): FeedRow {
  const named = row as Record<string, unknown>
  NAMES[row.source]!.forEach((name, index) => {
    named[name] = facts[index]
  })
  return named as FeedRow
}

/** Adds columns of related tables: names of projects, the finding of a failed build. */
export const described = (rows: Sql): Sql => sql`
  select x.source, x.at, coalesce(x.number::text, x.uuid::text) as id, x.project_id, p.name as project_name,
    x.state, x.facts, n.found_category, n.found_suspect
  from (${rows}) x join projects p on p.id = x.project_id
  left join lateral (
    select i.category as found_category,
        (select c.display_identifier from changes c
          where c.account_id = p.account_id and c.id = (named_suspect(${SUSPECTS}) ->> 'change_id')::bigint) as found_suspect
      from investigations i
      where x.source = 'build' and x.state = 'failed' and i.account_id = p.account_id and i.build_run_id = x.number and i.status = 'completed'
      order by i.id desc limit 1
  ) n on true
  order by x.at desc, x.source desc, x.number desc, x.uuid desc`

export const keyOf = ({ at, source, id }: FeedRow): Key => ({ at, id: `${source}|${id}` })

export const feedEventOf = (row: FeedRow): Event => eventOf(feedTypeOf(row.source, row.state), row, row) as Event
