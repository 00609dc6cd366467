import { type Database, raw, sql } from '../../db/database.ts'
import type { Key } from '../../db/page.ts'
import { lookUp, probed, probeOf } from './lookup.ts'
import { ORDERS, type SearchKind } from './records.ts'

/** The project and kind of the records to search. */
export interface Range {
  account_id: number
  project_id: number
  kind: SearchKind
}

interface Segment {
  id: number
  newest_at: string
}

/** Keys of a segment that are read but not yet returned, newest first. */
interface Opened {
  id: number
  keys: Key[]
  /** Where reading stopped; undefined at the end. */
  read: Key | undefined
}

/** Keys read per segment at first, and at most: a caller that continues because other filters leave little gets more each time. */
const KEYS_OF_SEGMENT = 60
const KEYS_MAX = 2_000
/** Queued records beyond this are found once they are indexed. */
const QUEUED_MAX = 2_000
const NEWEST: Key = { at: 'infinity', id: '0' }

/**
 * Keys of records with all terms, in the order of the list, from a key on. Segments overlap in time, so several are open at once, and a key
 * is returned when no segment can contain a newer one. Rare words open all segments, doubling each time; common ones open one or two.
 */
export async function* newestFirst(db: Database, range: Range, terms: string[], from: Key | undefined): AsyncGenerator<Key[]> {
  const newer = newerOf(range.kind)
  // In this order: a record that is indexed in between is seen in both instead of in neither.
  const queued = await queuedKeys(db, range, from)
  const waiting = new Set(queued.map(({ id }) => id))
  const closed = await segmentsOf(db, range, from)
  let opened: Opened[] = [{ id: 0, keys: queued, read: undefined }]
  let take = KEYS_OF_SEGMENT
  for (let opening = 1; ; ) {
    const [next] = closed
    const safe = (key: Key) =>
      (next === undefined || key.at > next.newest_at) && opened.every(({ read }) => read === undefined || newer(key, read) <= 0)
    const ready = opened.flatMap(({ keys }) => keys.filter(safe)).sort(newer)
    if (ready.length > 0) {
      for (const one of opened) one.keys = one.keys.filter((key) => !safe(key))
      yield ready
      continue
    }
    opened = opened.filter(({ keys, read }) => keys.length > 0 || read !== undefined)
    const exhausted = opened.filter(({ keys, read }) => keys.length === 0 && read !== undefined)
    const best = opened.flatMap(({ keys }) => keys.slice(0, 1)).sort(newer)[0]
    const isNext = next !== undefined && exhausted.length === 0 && (best === undefined || best.at <= next.newest_at)
    const fresh = isNext ? closed.splice(0, opening).map(({ id }): Opened => ({ id, keys: [], read: from ?? NEWEST })) : []
    if (fresh.length > 0) opening *= 2
    opened.push(...fresh)
    const reading = [...exhausted, ...fresh]
    if (reading.length === 0) return
    if (exhausted.length > 0) take = Math.min(2 * take, KEYS_MAX)
    const found = await probe(db, range, terms, reading, take)
    for (const one of reading) {
      const keys = found.get(one.id)!
      one.read = keys.length < take ? undefined : keys.at(-1)
      one.keys = keys.filter(({ id }) => !waiting.has(id))
    }
  }
}

/** The order of the list: negative if the first key is newer. */
const newerOf = (kind: SearchKind) => (a: Key, b: Key) => {
  if (a.at !== b.at) return a.at > b.at ? -1 : 1
  if (ORDERS[kind].id === 'bigint') return Number(b.id) - Number(a.id)
  return a.id > b.id ? -1 : a.id < b.id ? 1 : 0
}

const segmentsOf = (db: Database, { account_id, kind }: Range, from: Key | undefined) =>
  db.rows<Segment>(sql`
    select id, iso(newest_at) as newest_at from search_segments
    where account_id = ${account_id} and kind = ${kind}
      and (oldest_at is null or oldest_at <= ${from?.at ?? NEWEST.at}::timestamptz)
    order by search_segments.newest_at desc, id desc`)

async function probe(
  db: Database,
  { kind, project_id }: Range,
  terms: string[],
  reading: Opened[],
  take: number,
): Promise<Map<number, Key[]>> {
  const probes = reading.map(({ id, read }) => ({ ...probeOf(id, terms), from: { at: read!.at, id: idOf(kind, read!) } }))
  const rows = await lookUp<Key & { segment: number }>(
    db,
    sql`select segment, iso(at) as at, record_id as id from (${probed(kind, [project_id], probes, take)}) found`,
  )
  const found = new Map(reading.map((one): [number, Key[]] => [one.id, []]))
  for (const { segment, at, id } of rows) found.get(segment)!.push({ at, id })
  return found
}

/** The start has no id. */
const idOf = (kind: SearchKind, key: Key) =>
  key === NEWEST && ORDERS[kind].id === 'uuid' ? '00000000-0000-0000-0000-000000000000' : key.id

/** Recently written records. */
const queuedKeys = (db: Database, { account_id, project_id, kind }: Range, from: Key | undefined): Promise<Key[]> => {
  const { table, id, at } = ORDERS[kind]
  return db.rows<Key>(sql`
    select iso(${at}) as at, x.id::text as id
    from (
      select distinct q.record_id from (
        select kind, record_id from search_queue where account_id = ${account_id} order by id desc limit ${QUEUED_MAX}) q
      where q.kind = ${kind}) q
    join ${raw(table)} x on x.id = q.record_id::${raw(id)}
    where x.project_id = ${project_id}
      and (${at}, x.id) < (${from?.at ?? NEWEST.at}::timestamptz, ${idOf(kind, from ?? NEWEST)}::${raw(id)})
    order by ${at} desc, x.id desc`)
}
