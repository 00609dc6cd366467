import { type Database, raw, sql } from '../../db/database.ts'
import { type Fields, fieldTerms, readFields } from './fields.ts'
import { arrayOf, hashOf, titleTerm } from './lookup.ts'
import { KINDS, type Name, readRecords, type SearchKind, type SearchRecord } from './records.ts'
import { termsOf } from './text.ts'

/** The version of a document's terms. Raised when records get more terms: older documents are then indexed again. */
const TERMS_VERSION = 2
/** Must match the condition of its index. */
const STALE = sql`terms_version < ${raw(String(TERMS_VERSION))} and kind in ('build', 'change')`

/** One node at a time: a second one has nothing to do. */
const LOCK = 5_207_115
const BATCH = 500
/** Large enough that a word in every document is read in a millisecond or two; few enough segments that a word in none costs as little. */
const SEGMENT_DOCUMENTS = 4_096

/** The next account after the given one with something to index, wrapping around; undefined if there is none. */
export async function nextAccount(db: Database, after: number): Promise<number | undefined> {
  const [next] = await db.rows<{ account_id: number }>(
    sql`
    (select account_id from search_queue where account_id > ${after} order by account_id limit 1)
    union all
    (select account_id from search_queue order by account_id limit 1)
    union all
    (select account_id from search_documents where ${STALE} and account_id > ${after} order by account_id limit 1)
    union all
    (select account_id from search_documents where ${STALE} order by account_id limit 1)`,
    { across: true },
  )
  return next?.account_id
}

/** Indexes an account's newest queued records, or else outdated ones; false if another node is doing it. */
export const indexAccount = (db: Database, accountId: number): Promise<boolean> =>
  db.transaction(async (db) => {
    const { free } = (await db.one<{ free: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as free`))!
    if (free) await indexQueued(db, accountId)
    return free
  })

/**
 * Queues breakages and comments without a document: older ones than search supports, and those that a node of an older version took from the
 * queue.
 */
export async function queueUnindexed(db: Database): Promise<void> {
  for (const [kind, rows, at] of [
    ['breakage', sql`breakages x where true`, sql`x.opened_at`],
    ['comment', sql`comments x where x.deleted_at is null`, sql`x.created_at`],
  ] as const)
    await db.execute(sql`
      insert into search_queue (account_id, kind, record_id)
      select x.account_id, ${kind}, x.id::text from ${rows} and not exists (
        select from search_documents d where d.account_id = x.account_id and d.kind = ${kind} and d.record_id = x.id::text)
      order by ${at}`)
}

/** Indexes everything in the queue. */
export async function indexAll(db: Database): Promise<void> {
  for (let account = await nextAccount(db, 0); account !== undefined; account = await nextAccount(db, account))
    await indexAccount(db, account)
}

async function indexQueued(db: Database, accountId: number) {
  const queued = await db.rows<Name>(sql`
    delete from search_queue where account_id = ${accountId} and ctid = any (array(
      select ctid from search_queue where account_id = ${accountId} order by id desc limit ${BATCH}))
    returning kind, record_id`)
  const names = queued.length > 0 ? queued : await stale(db, accountId)
  const records = await readRecords(db, names, sql`x.account_id = ${accountId}`)
  for (const kind of KINDS) {
    const some = records.filter((record) => record.kind === kind)
    if (some.length > 0) await write(db, accountId, kind, some)
  }
  await queueBuildsOf(
    db,
    accountId,
    records.filter(({ kind }) => kind === 'change'),
  )
  // Lookups scan the pending list sequentially.
  await db.execute(sql`select gin_clean_pending_list('search_documents_terms')`)
}

/** Newest first: those are searched most. Removed from the queue whether or not their records still exist. */
const stale = (db: Database, accountId: number): Promise<Name[]> =>
  db.rows<Name>(sql`
    update search_documents set terms_version = ${TERMS_VERSION} where account_id = ${accountId} and ctid = any (array(
      select ctid from search_documents where account_id = ${accountId} and ${STALE} order by at desc limit ${BATCH}))
    returning kind, record_id`)

/** Builds that were indexed before their change arrived, or before its author was known. */
async function queueBuildsOf(db: Database, accountId: number, changes: SearchRecord[]) {
  if (changes.length === 0) return
  await db.execute(sql`
    insert into search_queue (account_id, kind, record_id)
    select ${accountId}, 'build', d.record_id
    from changes c
    join lateral (
      select b.id from build_runs b where b.account_id = c.account_id and b.project_id = c.project_id and b.commit_hash = c.identifier
        and b.commit_hash <> ''
      union
      select b.id from build_runs b where b.account_id = c.account_id and b.project_id = c.project_id and b.changelist = c.identifier
        and b.changelist <> '') b on true
    join search_documents d on d.account_id = ${accountId} and d.kind = 'build' and d.record_id = b.id::text
    where c.account_id = ${accountId} and c.id = any (${changes.map(({ record_id }) => Number(record_id))}::bigint[])`)
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
  const terms: string[] = []
  for (let from = 0; from < records.length; from += LOT) {
    const lot = records.slice(from, from + LOT)
    const fields = await readFields(
      db,
      accountId,
      kind,
      lot.map(({ record_id }) => record_id),
    )
    for (const [n, record] of lot.entries())
      terms.push(arrayOf(hashesOf(record, fields.get(record.record_id), segments[from + n]!)))
  }
  await db.execute(sql`
    insert into search_documents (account_id, kind, record_id, project_id, segment_id, at, terms, terms_version)
    select ${accountId}, ${kind}, d.record_id, d.project_id, d.segment_id, d.at, d.terms::integer[], ${TERMS_VERSION}
    from unnest(${records.map(({ record_id }) => record_id)}::text[], ${records.map(({ project_id }) => project_id)}::bigint[],
      ${segments}::bigint[], ${records.map(({ at }) => at)}::timestamptz[], ${terms}::text[]) d (record_id, project_id, segment_id, at, terms)
    on conflict (account_id, kind, record_id) do update set
      project_id = excluded.project_id, at = excluded.at, terms = excluded.terms, terms_version = excluded.terms_version`)
  await widen(db, accountId, segments, records)
}

/** How many records' files are in memory at a time. */
const LOT = 20

const hashesOf = (
  { account_id, kind, foldedTitle, indexed }: SearchRecord,
  fields: Fields | undefined,
  segment: number,
): Set<number> => {
  const hashes = new Set([titleTerm(account_id, kind, foldedTitle.text)])
  for (const term of termsOf(indexed)) hashes.add(hashOf(segment, term))
  if (fields) for (const term of fieldTerms(fields)) hashes.add(hashOf(segment, term))
  return hashes
}

/** The time range of a segment's records: an ordered search skips segments that cannot be next. */
const widen = (db: Database, accountId: number, segments: number[], records: SearchRecord[]) =>
  db.execute(sql`
    update search_segments s set newest_at = greatest(s.newest_at, w.newest),
      oldest_at = case when s.oldest_at is not null then least(s.oldest_at, w.oldest) end
    from (
      select id, max(at) as newest, min(at) as oldest
      from unnest(${segments}::bigint[], ${records.map(({ at }) => at)}::timestamptz[]) r (id, at) group by id) w
    where s.account_id = ${accountId} and s.id = w.id and (w.newest > s.newest_at or w.oldest < s.oldest_at)`)

/** Reserves space for new documents: the newest segment first, then new ones. */
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
            update search_segments set documents = documents + ${taken.length} where account_id = ${accountId} and id = ${open!.id} returning id`
        : sql`
            insert into search_segments (account_id, kind, documents, newest_at, oldest_at)
            values (${accountId}, ${kind}, ${taken.length}, ${newest}::timestamptz, ${newest}::timestamptz) returning id`,
    ))!
    places.push(...taken.map(() => id))
  }
  return places
}
