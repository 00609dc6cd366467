import type { DeliveryOutcome } from '../../contract/sets.ts'
import { type Database, empty, join, raw, reserveIds, type Sql, sql } from '../../db/database.ts'
import { type BodyNote, REFUSED_MAX } from './intake-usage.ts'

/** A delivery with its account, as jobs and processes name it. */
export interface DeliveryKey {
  account_id: number
  delivery_id: number
}

/** A request with a valid token, as it is stored. */
export interface Arrival {
  account_id: number
  integration_id: number
  path: string
  event: string
  dedupe_key: string
  headers: Record<string, string>
  body: Buffer
  /** The body without the log, which its build stores; only if the delivery is processed. */
  lean_body?: Buffer
  /** The account is over its quota for bodies: this one is processed but not stored. */
  over_quota?: boolean
  replay_of?: number
  /** Sent by an owner to try the integration. */
  test?: boolean
  /** The facts read from it, as JSON, if they are applied after the response. */
  facts?: string
  /** It could not be processed while its sender waited: for so many milliseconds until now. */
  deferred?: { waited: number }
}

const EMPTY = Buffer.alloc(0)

/** The stored part of a body, and why it is not all of it. Null is for bodies past their retention. */
function storedBody(
  { body, lean_body, over_quota }: Arrival,
  outcome: DeliveryOutcome,
  status: number,
): [Buffer, BodyNote | null] {
  if (outcome === 'duplicate') return [EMPTY, 'duplicate']
  if (outcome === 'failed' && status < 500 && body.length > REFUSED_MAX) return [body.subarray(0, REFUSED_MAX), 'refused']
  if (!over_quota) return outcome === 'processed' && lean_body ? [lean_body, 'log'] : [body, null]
  // An accepted one is kept until it is applied.
  return [outcome === 'accepted' ? body : EMPTY, 'quota']
}

export interface Kept {
  /** Replaces what `accept` stored, with a note why it is not all. */
  body?: Buffer
  body_note?: BodyNote | null
  outcome: DeliveryOutcome
  status: number
  records: { type: string; id: number | string }[]
  message: string
  milliseconds: number
  /** How long it waited until then; for a deferred one PostgreSQL knows. */
  waited?: number
}

/**
 * Stores deliveries of one integration, unless an identical one took effect before; a duplicate at the same instant waits here and finds
 * out. The initial outcome is the most likely one, so that finishing rarely touches an index. Results are in the same order.
 */
export async function accept(
  db: Database,
  arrivals: readonly Arrival[],
  outcome: 'processed' | 'accepted',
): Promise<(number | undefined)[]> {
  // Deferred ones are processed in the order of their ids.
  const order = outcome === 'accepted' ? await reserveIds(db, 'deliveries', arrivals.length) : undefined
  // Always in the same order, so that two nodes with the same deliveries do not deadlock.
  const rows = arrivals
    .map((arrival, index) => ({ arrival, id: order?.[index] }))
    .toSorted((a, b) => (a.arrival.dedupe_key < b.arrival.dedupe_key ? -1 : 1))
    .map(({ arrival, id }) => {
      const status = outcome === 'accepted' && !arrival.deferred ? 202 : 200
      const [body, note] = storedBody(arrival, outcome, status)
      return sql`
        (${order ? sql`${id}::bigint, ` : empty}${arrival.account_id}::integer, ${arrival.integration_id}::integer, ${arrival.path}, ${arrival.event}, ${arrival.dedupe_key}, ${arrival.replay_of === undefined}::boolean,
          ${outcome}, ${status}::integer, ${JSON.stringify(arrival.headers)}::jsonb, ${body}::bytea, ${arrival.body.length}::integer, ${note},
          ${arrival.replay_of ?? null}::bigint, ${arrival.facts ?? null}::text, ${arrival.deferred !== undefined}::boolean,
          ${arrival.deferred?.waited ?? 0}::integer)`
    })
  const kept = await db.rows<{ id: number; dedupe_key: string }>(sql`
    insert into deliveries (${order ? sql`id, ` : empty}account_id, integration_id, path, event, dedupe_key, counts, outcome, status, headers, body,
      body_bytes, body_note, replay_of, facts, deferred, waited)
    values ${join(rows)}
    on conflict (account_id, integration_id, dedupe_key) where counts do nothing
    returning id, dedupe_key`)
  const ids = new Map(kept.map(({ id, dedupe_key }) => [dedupe_key, id]))
  return arrivals.map(({ dedupe_key }) => {
    const id = ids.get(dedupe_key)
    ids.delete(dedupe_key)
    return id
  })
}

/**
 * Finds a row if one of these deliveries of one integration took effect before. Each is looked up separately: on a young table PostgreSQL
 * before 17 would read all deliveries of the integration and compare them with the list, until it knows how many there are.
 */
export const tookEffect = (arrivals: readonly Arrival[]): Sql => sql`
  select from unnest(${arrivals.map(({ dedupe_key }) => dedupe_key)}::text[]) a (dedupe_key), lateral (
    select from deliveries d
    where d.account_id = ${arrivals[0]!.account_id} and d.integration_id = ${arrivals[0]!.integration_id} and d.dedupe_key = a.dedupe_key and d.counts limit 1) d`

/** A delivery with only changes. */
export interface ChangeDelivery {
  arrival: Arrival
  /** Of its changes, as stored. */
  identifiers: string[]
  /** From its arrival until the statement is sent. */
  milliseconds: number
  waited: number
}

/**
 * The part `receipts` of the statement that writes changes: deliveries of one integration with the changes in `written` that they reported.
 * If an identical one took effect at the same instant, PostgreSQL refuses, and everything is rolled back.
 */
export function addingReceipts(delivered: readonly ChangeDelivery[]): Sql {
  const rows = delivered.map(({ arrival, identifiers, milliseconds, waited }) => {
    const [body, note] = storedBody(arrival, 'processed', 200)
    const { path, event, dedupe_key, headers } = arrival
    return {
      body,
      row: { path, event, dedupe_key, headers, body_bytes: arrival.body.length, note, identifiers, milliseconds, waited },
    }
  })
  return sql`
    receipts as (
      insert into deliveries (account_id, integration_id, path, event, dedupe_key, counts, outcome, status, headers, body, body_bytes,
        body_note, records, milliseconds, waited)
      select ${delivered[0]!.arrival.account_id}, ${delivered[0]!.arrival.integration_id}, r.path, r.event, r.dedupe_key, true, 'processed', 200, r.headers, r.body, r.body_bytes,
        r.note, w.records, r.milliseconds + (extract(epoch from clock_timestamp() - statement_timestamp()) * 1000)::integer, r.waited
      from rows from (jsonb_to_recordset(${JSON.stringify(rows.map(({ row }) => row))}::jsonb)
          as (path text, event text, dedupe_key text, headers jsonb, body_bytes integer, note text, identifiers text[], milliseconds integer, waited integer),
        unnest(${rows.map(({ body }) => body)}::bytea[]))
        as r (path, event, dedupe_key, headers, body_bytes, note, identifiers, milliseconds, waited, body),
      lateral (
        select jsonb_agg(jsonb_build_object('type', 'change', 'id', w.id) order by w.id) as records
        from written w where w.identifier = any (r.identifiers)) w
      where w.records is not null
      returning id, dedupe_key)`
}

/** Each is looked up by its id: a join would be planned while the table is young, and would scan it ever after. */
export const finish = (db: Database, accountId: number, ended: readonly ({ id: number } & Kept)[]) =>
  db.execute(sql`with ${join(ended.map((one, index) => finishing(accountId, one, index)))} select`)

const finishing = (accountId: number, { id, ...kept }: { id: number } & Kept, index: number) => sql`
  ${raw(`d${index}`)} as (
    update deliveries set outcome = ${kept.outcome}, status = ${kept.status}, records = ${JSON.stringify(kept.records)}::jsonb,
      message = ${kept.message}, milliseconds = ${kept.milliseconds},
      waited = ${kept.waited ?? sql`least(waited + extract(epoch from now() - received_at) * 1000, 2147483647)::integer`}${kept.body ? sql`, body = ${kept.body}, body_note = ${kept.body_note ?? null}` : sql``}
    where account_id = ${accountId} and id = ${id})`

/** An accepted delivery that turned out to be unreadable, or that can't be recorded. */
export const giveUp = (db: Database, { account_id, delivery_id }: DeliveryKey, message: string, status = 422) =>
  db.execute(sql`
    update deliveries set outcome = 'failed', status = ${status}, counts = false, message = ${message}, facts = null
    where account_id = ${account_id} and id = ${delivery_id} and outcome = 'accepted'`)

/** Accepted deliveries were applied: their facts are no longer needed, nor a body over the quota. */
export const clearFacts = (db: Database, accountId: number, ids: readonly number[]) =>
  db.execute(sql`
    update deliveries set facts = null, body = case when body_note = 'quota' then '' else body end
    where account_id = ${accountId} and id = any (${ids}::bigint[])`)

/** Deferred deliveries that are not processed yet. */
export const IS_DEFERRED = sql`d.deferred and d.outcome = 'accepted'`

/** Whether an integration `i` has deliveries that later ones must not overtake. */
export const isBehind = sql`exists (
  select from deliveries d where d.account_id = i.account_id and d.integration_id = i.id and ${IS_DEFERRED})`

/** Inserts a delivery without effect: a duplicate, a test, or an unusable one. */
export async function note(db: Database, arrival: Arrival, kept: Kept): Promise<number> {
  const [body, bodyNote] = storedBody(arrival, kept.outcome, kept.status)
  const row = await db.one<{ id: number }>(sql`
    insert into deliveries (account_id, integration_id, path, event, dedupe_key, outcome, status, headers, body, body_bytes, body_note, records, message,
      milliseconds, replay_of, test)
    values (${arrival.account_id}, ${arrival.integration_id}, ${arrival.path}, ${arrival.event}, ${arrival.dedupe_key}, ${kept.outcome}, ${kept.status},
      ${JSON.stringify(arrival.headers)}::jsonb, ${body}, ${arrival.body.length}, ${bodyNote}, ${JSON.stringify(kept.records)}::jsonb,
      ${kept.message}, ${kept.milliseconds}, ${arrival.replay_of ?? null},
      ${arrival.test ?? false})
    returning id`)
  return row!.id
}
