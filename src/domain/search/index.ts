import { type Database, sql } from '../../db/database.ts'
import { KINDS, type Name, readRecords, type SearchKind, type SearchRecord } from './records.ts'
import { arrayOf, hashOf, titleTerm } from './terms.ts'
import { termsOf } from './text.ts'

/** One node at a time: who comes second has nothing to do. */
const LOCK = 5_207_115
const BATCH = 500
/** So many that a word all of them have is read in a millisecond or two; so few segments that a word none has costs as little. */
const SEGMENT_DOCUMENTS = 4_096

/** The account after the given one that queued something, the first one after the last; undefined when nothing waits for anybody. */
export async function nextAccount(db: Database, after: number): Promise<number | undefined> {
  const [next] = await db.rows<{ account_id: number }>(sql`
    (select account_id from search_queue where account_id > ${after} order by account_id limit 1)
    union all
    (select account_id from search_queue order by account_id limit 1)`)
  return next?.account_id
}

/** Indexes what an account queued last; false when another node is at it. */
export const indexAccount = (db: Database, accountId: number): Promise<boolean> =>
  db.transaction(async (db) => {
    const { free } = (await db.one<{ free: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as free`))!
    if (free) await indexQueued(db, accountId)
    return free
  })

/** Indexes all that waits. */
export async function indexAll(db: Database): Promise<void> {
  for (let account = await nextAccount(db, 0); account !== undefined; account = await nextAccount(db, account))
    await indexAccount(db, account)
}

async function indexQueued(db: Database, accountId: number) {
  const names = await db.rows<Name>(sql`
    delete from search_queue where ctid = any (array(
      select ctid from search_queue where account_id = ${accountId} order by id desc limit ${BATCH}))
    returning kind, record_id`)
  const records = await readRecords(db, names, sql`x.account_id = ${accountId}`)
  for (const kind of KINDS) {
    const some = records.filter((record) => record.kind === kind)
    if (some.length > 0) await write(db, accountId, kind, some)
  }
  // Look-ups read what is not merged yet from one end to the other.
  await db.count(sql`select gin_clean_pending_list('search_documents_terms')`)
}

async function write(db: Database, accountId: number, kind: SearchKind, records: SearchRecord[]) {
  const known = new Map(
    (
      await db.rows<{ record_id: string; segment_id: number }>(sql`
        select record_id, segment_id from search_documents
        where account_id = ${accountId} and kind = ${kind} and record_id = any (${records.map(({ record_id }) => record_id)})`)
    ).map(({ record_id, segment_id }) => [record_id, segment_id]),
  )
  const fresh = records.filter(({ record_id }) => !known.has(record_id))
  const places = await reserve(db, accountId, kind, fresh)
  for (const [n, { record_id }] of fresh.entries()) known.set(record_id, places[n]!)
  const segments = records.map(({ record_id }) => known.get(record_id)!)
  const terms = records.map((record, n) => arrayOf(hashesOf(record, segments[n]!)))
  await db.count(sql`
    insert into search_documents (account_id, kind, record_id, project_id, segment_id, at, terms)
    select ${accountId}, ${kind}, d.record_id, d.project_id, d.segment_id, d.at, d.terms::integer[]
    from unnest(${records.map(({ record_id }) => record_id)}::text[], ${records.map(({ project_id }) => project_id)}::bigint[],
      ${segments}::bigint[], ${records.map(({ at }) => at)}::timestamptz[], ${terms}::text[]) d (record_id, project_id, segment_id, at, terms)
    on conflict (account_id, kind, record_id) do update set
      project_id = excluded.project_id, at = excluded.at, terms = excluded.terms`)
}

const hashesOf = ({ account_id, kind, foldedTitle, indexed }: SearchRecord, segment: number): Set<number> =>
  new Set([titleTerm(account_id, kind, foldedTitle.text), ...[...termsOf(indexed)].map((term) => hashOf(segment, term))])

/** Room for new documents: the newest segment first, then new ones. */
async function reserve(db: Database, accountId: number, kind: SearchKind, records: SearchRecord[]): Promise<number[]> {
  const places: number[] = []
  while (places.length < records.length) {
    const rest = records.slice(places.length)
    const open = await db.one<{ id: number; documents: number }>(sql`
      select id, documents from search_segments where account_id = ${accountId} and kind = ${kind} order by id desc limit 1`)
    const room = open === undefined ? 0 : SEGMENT_DOCUMENTS - open.documents
    const taken = rest.slice(0, room || SEGMENT_DOCUMENTS)
    const newest = taken.reduce((last, { at }) => (at > last ? at : last), taken[0]!.at)
    const { id } = (await db.one<{ id: number }>(
      room > 0
        ? sql`
            update search_segments set documents = documents + ${taken.length}, newest_at = greatest(newest_at, ${newest}::timestamptz)
            where id = ${open!.id} returning id`
        : sql`
            insert into search_segments (account_id, kind, documents, newest_at)
            values (${accountId}, ${kind}, ${taken.length}, ${newest}::timestamptz) returning id`,
    ))!
    places.push(...taken.map(() => id))
  }
  return places
}
