import { type Database, sql } from '../../db/database.ts'
import { EXAMINED_MAX as EXAMINED_ROWS, endOf, type Key, type Listing, type Page, readPage } from '../../db/page.ts'
import { type FieldQueries, fieldsMatch, fieldTermsFor, readFields } from './fields.ts'
import { newestFirst, type Range } from './newest-first.ts'
import { matching } from './records.ts'
import { type Query, queryOf, termsFor, termsOf } from './text.ts'

/** The text to search for: anywhere, or in a field. */
export interface Texts {
  q?: string | undefined
  author?: string | undefined
  path?: string | undefined
}

export const asksForText = ({ q, author, path }: Texts): boolean => [q, author, path].some((text) => text !== undefined)

/** A list limited to records with these ids, or to a part of it; it applies its other filters itself. */
interface Narrowed {
  ids?: readonly string[]
  cursor?: Key
  limit: number
}

interface Search {
  range: Range
  texts: Texts
  list(part: Narrowed): Listing
  /**
   * Whether it has other filters. If they leave few records, those are read; otherwise the words select, and the filters apply afterwards.
   */
  filtered: boolean
  /** Its other filters always leave few. */
  filtersLead: boolean
  cursor: Key | undefined
  limit: number
}

const CHUNK_MAX = 500
/**
 * The maximum number of records read for one page. A search whose words and filters seldom match together then ends the page early and
 * returns where to continue.
 */
const EXAMINED_MAX = 1_500

/** A page of matches, in the order of the list. */
export async function findPage(db: Database, search: Search): Promise<Page> {
  const { limit, list } = search
  const asked = askedOf(search.texts)
  const none = asked.queries.some(({ tokens }) => tokens.length === 0)
  const { keys, last } = none ? { keys: [], last: null } : await matchesOf(db, search, asked)
  if (keys.length === 0) return { items: '[]', has_more: last !== null, last }
  const page = await readPage(db, list({ ids: keys.map(({ id }) => id), limit }))
  return { ...page, has_more: last !== null, last }
}

interface SearchTerms {
  anywhere: Query | undefined
  fields: FieldQueries
  queries: Query[]
}

function askedOf({ q, author, path }: Texts): SearchTerms {
  const anywhere = q === undefined ? undefined : queryOf(q)
  const fields: FieldQueries = {
    ...(author !== undefined && { author: queryOf(author) }),
    ...(path !== undefined && { path: queryOf(path) }),
  }
  return { anywhere, fields, queries: [...(anywhere ? [anywhere] : []), ...Object.values(fields)] }
}

const wordTerms = (query: Query | undefined) => (query ? termsFor(query, false) : [])

/** The first matches, and where the page ends if it is not the last. */
async function matchesOf(db: Database, search: Search, asked: SearchTerms): Promise<{ keys: Key[]; last: Key | null }> {
  const { range, cursor, limit, list } = search
  const filtersLead = search.filtersLead || (search.filtered && (await leavesFew(db, search)))
  const found: Key[] = []
  let examined = 0
  const terms = [...wordTerms(asked.anywhere), ...fieldTermsFor(asked.fields)]
  for await (const { keys, sortedOut = 0, end } of filtersLead
    ? walk(db, search)
    : words(newestFirst(db, range, terms, cursor))) {
    for (let chunk = limit + 1, from = 0; from < keys.length; from += chunk, chunk = Math.min(2 * chunk, CHUNK_MAX)) {
      const some = keys.slice(from, from + chunk)
      const ids = some.map(({ id }) => id)
      const kept = filtersLead ? some : await keysOf(db, list({ ids, limit: CHUNK_MAX }))
      found.push(...(await sieve(db, range, kept, asked)))
      if (found.length > limit) return { keys: found.slice(0, limit), last: found[limit - 1]! }
      examined += some.length
      if (examined >= EXAMINED_MAX) return { keys: found, last: some.at(-1)! }
    }
    examined += sortedOut
    if (end && examined >= EXAMINED_MAX) return { keys: found, last: end }
  }
  return { keys: found, last: null }
}

interface Stretch {
  keys: Key[]
  /** How many rows the filters dropped on the way. */
  sortedOut?: number
  /** How far it read, if that is past its last key. */
  end?: Key
}

async function* words(found: AsyncGenerator<Key[]>): AsyncGenerator<Stretch> {
  for await (const keys of found) yield { keys }
}

/** Whether one stretch contains everything that the filters leave. */
async function leavesFew(db: Database, { list, cursor }: Search): Promise<boolean> {
  const listing = list({ ...(cursor && { cursor }), limit: CHUNK_MAX })
  if ((await keysOf(db, listing)).length > CHUNK_MAX) return false
  return listing.examined === undefined || (await endOf(db, listing.examined)) === undefined
}

/** Everything that the filters leave, page by page. */
async function* walk(db: Database, { list, cursor }: Search): AsyncGenerator<Stretch> {
  for (let from = cursor; ; ) {
    const listing = list({ ...(from && { cursor: from }), limit: CHUNK_MAX })
    const keys = await keysOf(db, listing)
    if (keys.length > CHUNK_MAX) {
      yield { keys: keys.slice(0, CHUNK_MAX) }
      from = keys[CHUNK_MAX - 1]!
      continue
    }
    const end = listing.examined && (await endOf(db, listing.examined))
    if (!end) return void (yield { keys })
    yield { keys, sortedOut: EXAMINED_ROWS - keys.length, end }
    from = end
  }
}

const keysOf = (db: Database, listing: Listing): Promise<Key[]> =>
  db.rows<Key>(sql`select iso(key_at) as at, key_id::text as id from (${listing.rows}) found`, listing)

/** Read or looked up, records are matched by the same terms. */
async function sieve(
  db: Database,
  { kind, account_id, project_id }: Range,
  keys: Key[],
  { anywhere, fields }: SearchTerms,
): Promise<Key[]> {
  let left = keys
  if (anywhere) {
    const names = left.map(({ id }) => ({ kind, record_id: id }))
    const terms = wordTerms(anywhere)
    const records = await matching(db, names, sql`x.account_id = ${account_id} and x.project_id = ${project_id}`, anywhere)
    const found = records.filter(({ indexed }) => {
      const indexedTerms = termsOf(indexed)
      return terms.every((term) => indexedTerms.has(term))
    })
    const ids = new Set(found.map(({ record_id }) => record_id))
    left = left.filter(({ id }) => ids.has(id))
  }
  if (Object.keys(fields).length === 0) return left
  const read = await readFields(
    db,
    account_id,
    kind,
    left.map(({ id }) => id),
  )
  return left.filter(({ id }) => fieldsMatch(read.get(id), fields))
}
