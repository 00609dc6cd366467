import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from '../contract/errors.ts'
import { type Database, empty, join, raw, type Sql, sql } from './database.ts'

/** Adds a clause, or nothing. */
export const when = <T>(value: T | undefined, clause: (value: T) => Sql): Sql => (value === undefined ? empty : clause(value))

/** Where a page ended: the order's time and, for rows sharing it, their id. */
export interface Key {
  at: string
  id: string
}

/** Seals cursors: bound to a list, useless elsewhere, refused when changed. */
export class Cursors {
  readonly #keys: Buffer[]

  /** The first seals; what the others sealed opens, too. */
  constructor(...keys: Buffer[]) {
    this.#keys = keys
  }

  seal(list: string, key: Key): string {
    const text = `${key.at}|${key.id}`
    return Buffer.concat([mac(this.#keys[0]!, list, text), Buffer.from(text)]).toString('base64url')
  }

  open(list: string, cursor: string): Key {
    const bytes = Buffer.from(cursor, 'base64url')
    const text = bytes.subarray(12).toString()
    // Comparing the spelling too: base64 has several for the same bytes, and a changed cursor is refused.
    const genuine =
      bytes.length > 12 &&
      this.#keys.some((key) => timingSafeEqual(bytes.subarray(0, 12), mac(key, list, text))) &&
      bytes.toString('base64url') === cursor
    if (!genuine) throw invalidCursor()
    return keyOf(text)
  }
}

const mac = (key: Buffer, list: string, text: string): Buffer =>
  createHmac('sha256', key).update(`${list}\n${text}`).digest().subarray(0, 12)

const keyOf = (text: string): Key => {
  const split = text.indexOf('|')
  return { at: text.slice(0, split), id: text.slice(split + 1) }
}

/** A table of a list, or a few of its rows: the barrier keeps their number from the planner, who would walk the whole list for them. */
export const among = (table: Sql, ids: readonly string[] | undefined, type: 'bigint' | 'uuid'): Sql =>
  ids === undefined ? table : sql`(select * from ${table} where id = any (${ids}::${raw(type)}[]) offset 0)`

/** A list as a statement: its rows newest first, one more than the page holds, each with its `key_at` and `key_id`. */
export interface Listing {
  limit: number
  /** Columns `item` (json), `key_at` (a time) and `key_id`, `limit + 1` rows at most. */
  rows: Sql
  /** Rows also have `foreign_text`: what was written outside, so that only that is looked through before the page leaves. */
  foreign?: true
  /**
   * Where the walk ends if its page is not full: the key `at|id` of the last of `EXAMINED_MAX` rows that an index led to, nothing where there
   * are fewer. Filters that the index does not hold may sort out all of them: the page then ends early and says where to go on.
   */
  examined?: Sql | undefined
  /** How many rows match depends on a value that only statistics can weigh: planned anew each time instead of once for all. */
  unprepared?: boolean
}

export interface Page {
  /** The items as one JSON array, rendered by PostgreSQL. */
  items: string
  has_more: boolean
  last: Key | null
  foreign?: string | null
}

export interface PageRow {
  items: string
  foreign_text?: string | null
  /** Where the next page begins, as `at|id`; null on the last. */
  key: string | null
}

/**
 * A checked number of rows, written into the statement: of a limit it cannot see PostgreSQL expects a tenth of the table, so no
 * plan for all values ever looks as cheap as one for these, and the statement would be planned anew for every request.
 */
export const inlineInteger = (rows: number): Sql => raw(String(rows))

/** A checked time, written into the statement: how many rows it reaches only statistics can tell, and they must see it. */
export const inlineInstant = (iso: string): Sql => raw(`'${new Date(iso).toISOString()}'::timestamptz`)

/** Rows that one page looks at, at most, where an index holds only some of its filters. */
export const EXAMINED_MAX = 500

interface Walk {
  columns: Sql
  /** Tables and conditions, all of them in the index that leads. */
  from: Sql
  at: Sql
  id: Sql
}

export interface Walked {
  all: Sql
  /** The first of them. */
  rows: Sql
  /** Where those end, see `Listing`. */
  examined: Sql
}

/** A walk in the order of its index, and its first rows, for conditions outside of the index to sort out. */
export const bounded = ({ columns, from, at, id }: Walk): Walked => {
  const ordered = sql`from ${from} order by ${at} desc, ${id} desc`
  return {
    all: sql`select ${columns} from ${from}`,
    rows: sql`select ${columns} ${ordered} limit ${inlineInteger(EXAMINED_MAX)}`,
    examined: sql`select iso(${at}) || '|' || ${id} ${ordered} offset ${inlineInteger(EXAMINED_MAX - 1)} limit 1`,
  }
}

/** A column with a closed set of values, and those that are asked for. */
export interface Facet {
  column: Sql
  values: readonly string[]
  asked: readonly string[] | undefined
}

/**
 * Rows of every combination of what is asked for and, where nothing is, of all values: each is walked in its own part of an index over
 * these columns and the order. One index serves every selection of filters, and what nothing passes costs no more than what much does.
 */
export const ofEveryKind = (facets: readonly Facet[], rows: (condition: Sql) => Sql): Sql => sql`
  select kind_rows.* from ${join(facets.map(({ values, asked }, at) => sql`unnest(${[...new Set(asked ?? values)]}::text[]) ${raw(`kind${at}`)} (value)`))},
  lateral (${rows(
    join(
      facets.map(({ column }, at) => sql`${column} = ${raw(`kind${at}`)}.value`),
      ' and ',
    ),
  )}) kind_rows`

/** The rows gathered into one page. The extra row only proves that there are more. */
export const paged = ({ rows, limit, foreign, examined }: Listing): Sql => sql`
  select coalesce(array_to_json((array_agg(item))[:${inlineInteger(limit)}])::text, '[]') as items,
    ${foreign ? sql`string_agg(foreign_text, E'\\n') as foreign_text,` : empty}
    case when count(*) > ${inlineInteger(limit)}
      then iso((array_agg(key_at))[${inlineInteger(limit)}]) || '|' || (array_agg(key_id))[${inlineInteger(limit)}]
      ${when(examined, (end) => sql`else (${end})`)} end as key
  from (${rows}) found`

export const pageOf = ({ items, key, foreign_text }: PageRow): Page => ({
  items,
  foreign: foreign_text,
  has_more: key !== null,
  last: key === null ? null : keyOf(key),
})

export const readPage = async (db: Database, listing: Listing): Promise<Page> =>
  pageOf((await db.one<PageRow>(paged(listing), listing))!)

/** Where a walk ended that found less than a page, see `Listing`; undefined at its end. */
export const endOf = async (db: Database, examined: Sql): Promise<Key | undefined> => {
  const found = await db.one<{ key: string | null }>(sql`select (${examined}) as key`)
  return found?.key == null ? undefined : keyOf(found.key)
}
