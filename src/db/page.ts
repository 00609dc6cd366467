import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalidCursor } from '../contract/errors.ts'
import { type Database, empty, join, raw, type Sql, sql } from './database.ts'

/** Adds a clause, or nothing. */
export const when = <T>(value: T | undefined, clause: (value: T) => Sql): Sql => (value === undefined ? empty : clause(value))

/** Where a page ended: the sort time and, for ties, the id. */
export interface Key {
  at: string
  id: string
}

/** Seals cursors: bound to a list, useless elsewhere, rejected when changed. */
export class Cursors {
  readonly #keys: Buffer[]

  /** The first key seals; all keys can open. */
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
    // Compares the spelling too: base64 has several for the same bytes, and a changed cursor is rejected.
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

/**
 * A table of a list, or a few of its rows: the barrier hides their number from the planner, which would otherwise read the whole list for
 * them.
 */
export const among = (table: Sql, account: Sql, ids: readonly string[] | undefined, type: 'bigint' | 'uuid'): Sql =>
  ids === undefined
    ? table
    : sql`(select * from ${table} where account_id = ${account} and id = any (${ids}::${raw(type)}[]) offset 0)`

/** A list as a statement: its rows newest first, one more than the page, each with its `key_at` and `key_id`. */
export interface Listing {
  limit: number
  /** Columns `item` (json), `key_at` (a time) and `key_id`, `limit + 1` rows at most. */
  rows: Sql
  /** Rows also have `foreign_text`: external text, so that only that is checked before the page is sent. */
  foreign?: true
  /**
   * Where reading ends if its page is not full: the key `at|id` of the last of `EXAMINED_MAX` index rows, null if there are fewer. Filters
   * outside the index may drop all of them: the page then ends early and returns where to continue.
   */
  examined?: Sql | undefined
  /** The number of matches depends on a value that only statistics can weigh: planned anew each time instead of once. */
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
  /** Where the next page starts, as `at|id`; null on the last. */
  key: string | null
}

/**
 * A validated number of rows, inlined into the statement: for a limit parameter PostgreSQL expects a tenth of the table, so no generic plan
 * would look as cheap as a custom one, and the statement would be planned anew for every request.
 */
export const inlineInteger = (rows: number): Sql => raw(String(rows))

/** A validated time, inlined into the statement: only statistics can tell how many rows it selects, and they must see it. */
export const inlineInstant = (iso: string): Sql => raw(`'${new Date(iso).toISOString()}'::timestamptz`)

/** A member of a closed set, inlined into the statement: statistics tell how rare it is, and the planner picks its index. */
export const inlineWord = (word: string): Sql => {
  if (!/^[a-z_]+$/.test(word)) throw new TypeError(`Not a word: ${JSON.stringify(word)}`)
  return raw(`'${word}'`)
}

/** The maximum number of rows read per page if the index covers only some of its filters. */
export const EXAMINED_MAX = 500

interface Walk {
  columns: Sql
  /** Tables and conditions, all of them in the leading index. */
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

/** Reads the first rows in index order, for conditions outside of the index to filter. */
export const bounded = ({ columns, from, at, id }: Walk): Walked => {
  const ordered = sql`from ${from} order by ${at} desc, ${id} desc`
  return {
    all: sql`select ${columns} from ${from}`,
    rows: sql`select ${columns} ${ordered} limit ${inlineInteger(EXAMINED_MAX)}`,
    examined: sql`select iso(${at}) || '|' || ${id} ${ordered} offset ${inlineInteger(EXAMINED_MAX - 1)} limit 1`,
  }
}

/** A column with a closed set of values, and the requested ones. */
interface Facet {
  column: Sql
  values: readonly string[]
  asked: readonly string[] | undefined
}

/**
 * Rows of every combination of the requested values, or of all values if none are requested: each is read from its own part of an index
 * over these columns and the order. One index serves every selection of filters, and a filter without matches costs no more than one with
 * many.
 */
export const ofEveryKind = (facets: readonly Facet[], rows: (condition: Sql) => Sql): Sql => sql`
  select kind_rows.* from ${join(facets.map(({ values, asked }, at) => sql`unnest(${[...new Set(asked ?? values)]}::text[]) ${raw(`kind${at}`)} (value)`))},
  lateral (${rows(
    join(
      facets.map(({ column }, at) => sql`${column} = ${raw(`kind${at}`)}.value`),
      ' and ',
    ),
  )}) kind_rows`

/** The rows as one page. The extra row only shows that there are more. */
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

/** Where reading ended if it found less than a page, see `Listing`; undefined at the end. */
export const endOf = async (db: Database, examined: Sql): Promise<Key | undefined> => {
  const found = await db.one<{ key: string | null }>(sql`select (${examined}) as key`)
  return found?.key == null ? undefined : keyOf(found.key)
}
