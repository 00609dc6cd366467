import { createHash } from 'node:crypto'
import { isObjectLost } from '../../contract/errors.ts'
import { RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, type ObjectStore, type Sql, sql } from '../../db/database.ts'
import { logOf } from '../builds/stored-log.ts'
import { hashOf, keyOf } from '../objects/objects.ts'

/** Must match the condition of the index. Smaller values cost more as an object than in their row. */
const LARGE_BODY = sql`octet_length(d.body) >= 16384`
const LARGE_LOG = sql`octet_length(b.output_log) >= 16384`
/** New values are read, replayed, investigated and appended to; after this time rarely. */
const RESTED = sql`now() - interval '1 hour'`

/**
 * A little later than allowed: a reader that has just read the row can still read the object, and no statement that reuses it, which is
 * only allowed before the time, takes that long.
 */
export const UNUSED = sql`remove_after < now() - interval '1 minute'`

/** Bodies of finished deliveries of the integration `i`. */
const dueBodies = sql`
  select d.id, d.received_at as since from deliveries d
  where d.account_id = i.account_id and d.integration_id = i.id and ${LARGE_BODY} and d.received_at < ${RESTED} and d.outcome <> 'accepted'
  order by d.received_at`

/** Logs of finished builds. */
const dueLogs = (account: Sql) => sql`
  select b.id, b.happened_at as since from build_runs b
  where b.account_id = ${account} and ${LARGE_LOG} and b.happened_at < ${RESTED} and b.updated_at < ${RESTED}
    and b.status <> all (${[...RUNNING_STATUSES]})
  order by b.happened_at`

const integrationsOf = (account: Sql) => sql`
  select i.account_id, i.id from integrations i where i.account_id = ${account}`

/**
 * The accounts after the given one that have something to move or remove, and the last one that was checked. Planned anew each time: a plan
 * from when the tables were small would read all of them.
 */
export async function accountsDue(
  db: Database,
  after: number,
  look: number,
): Promise<{ accounts: number[]; last: number | undefined }> {
  const seen = await db.rows<{ id: number; due: boolean }>(
    sql`
      select a.id, exists (select from (${dueLogs(sql`a.id`)} limit 1) b)
        or exists (select from (${integrationsOf(sql`a.id`)}) i cross join lateral (${dueBodies} limit 1) d) as due
      from accounts a where a.id > ${after} order by a.id limit ${look}`,
    { unprepared: true },
  )
  const owners = await db.rows<{ id: number }>(
    sql`
      with recursive owners (id) as (${ownerAfter(sql`${after}::integer`)}
        union all select (${ownerAfter(sql`owners.id`)}) from owners where owners.id is not null)
      select id from owners where exists (select from stored_objects d where d.account_id = owners.id and ${UNUSED}) limit ${look}`,
    { unprepared: true },
  )
  const accounts = new Set([...seen.filter(({ due }) => due), ...owners].map(({ id }) => id))
  return { accounts: [...accounts].sort((a, b) => a - b), last: seen.at(-1)?.id }
}

/** From one account to the next, deleted ones too, however much each has to remove. */
const ownerAfter = (account: Sql) => sql`
  select min(o.account_id) from stored_objects o where o.remove_after is not null and o.account_id > ${account}`

/** How many seconds the oldest due value has waited. */
export const oldestDue = sql`
  select coalesce(greatest(0, extract(epoch from ${RESTED} - min(since))), 0)::float8 from (
    select d.since from integrations i cross join lateral (${dueBodies} limit 1) d
    union all select b.since from accounts a cross join lateral (${dueLogs(sql`a.id`)} limit 1) b) due`

interface Value {
  kind: 'body' | 'log'
  row: number
  bytes: Buffer
  /** Replaces the value with the object, unless it has changed since. */
  replace: (object: string) => Sql
}

async function readBody(db: Database, accountId: number, id: number): Promise<Value | undefined> {
  const row = await db.one<{ body: Buffer | null }>(
    sql`select body from deliveries where account_id = ${accountId} and id = ${id}`,
  )
  if (!row?.body) return undefined
  const bytes = row.body
  return {
    kind: 'body',
    row: id,
    bytes,
    replace: (object) => sql`
      update deliveries set body = null, body_object = ${object}
      where account_id = ${accountId} and id = ${id} and octet_length(body) = ${bytes.length} and outcome <> 'accepted'`,
  }
}

/** Including the part that was moved before, if more was printed since. */
async function readLog(db: Database, accountId: number, id: number): Promise<Value | undefined> {
  const row = await db.one<{ account_id: number; log: string | null; log_object: string | null }>(
    sql`select account_id, output_log as log, log_object from build_runs where account_id = ${accountId} and id = ${id}`,
  )
  if (!row?.log) return undefined
  const whole = await logOf(db, row).catch((error: unknown) => {
    // A lost object does not keep the rest in the row.
    if (isObjectLost(error)) return row.log!
    throw error
  })
  return {
    kind: 'log',
    row: id,
    bytes: Buffer.from(whole ?? row.log),
    replace: (object) => sql`
      update build_runs set output_log = null, log_object = ${object}
      where account_id = ${accountId} and id = ${id} and log_object is not distinct from ${row.log_object}::uuid
        and sha256(convert_to(output_log, 'UTF8')) = ${hashOf(Buffer.from(row.log!))}`,
  }
}

/**
 * Moves the next values of an account to the object store, a few at a time, and returns how many. Only one node at a time does so for an
 * account. An upload that ends before its row is updated is recognized by its `remove_after`: it is repeated under the same key, or
 * removed.
 */
export async function move(
  db: Database,
  store: ObjectStore,
  accountId: number,
  { atOnce, limit, signal }: { atOnce: number; limit: number; signal?: AbortSignal },
): Promise<number> {
  const account = sql`${accountId}::integer`
  const rows = (query: Sql) => db.rows<{ id: number }>(sql`${query} limit ${limit}`, { unprepared: true })
  const bodies = await rows(
    sql`select d.id from (${integrationsOf(account)}) i cross join lateral (${dueBodies} limit ${limit}) d`,
  )
  const logs = await rows(dueLogs(account))
  const due = [
    ...bodies.map(
      ({ id }) =>
        () =>
          readBody(db, accountId, id),
    ),
    ...logs.map(
      ({ id }) =>
        () =>
          readLog(db, accountId, id),
    ),
  ]
  let moved = 0
  const work = async () => {
    for (let next = due.shift(); next; next = due.shift()) {
      signal?.throwIfAborted()
      const value = await next()
      if (value && (await moveValue(db, store, accountId, value, signal))) moved++
    }
  }
  await allOrFirstFailure(Array.from({ length: atOnce }, work))
  return moved
}

/** Nothing is running any more when it returns or throws. */
async function allOrFirstFailure(work: Promise<void>[]) {
  for (const { status, reason } of (await Promise.allSettled(work)) as { status: string; reason?: unknown }[])
    if (status === 'rejected') throw reason
}

async function moveValue(
  db: Database,
  store: ObjectStore,
  accountId: number,
  value: Value,
  signal?: AbortSignal,
): Promise<boolean> {
  const sha256 = hashOf(value.bytes)
  const id = objectId(value, sha256)
  // An object that is about to be removed is not reused: it is uploaded again once it is gone.
  const begun = await db.execute(sql`
    insert into stored_objects as o (id, account_id, bytes, sha256) values (${id}, ${accountId}, ${value.bytes.length}, ${sha256})
    on conflict (account_id, id) do update set remove_after = default where o.remove_after > now()`)
  if (begun === 0) return false
  await store.put(keyOf(accountId, id), value.bytes, signal)
  return db.transaction(async (db) => {
    const used = await db.execute(sql`
      update stored_objects set remove_after = null where id = ${id} and account_id = ${accountId} and remove_after > now()`)
    if (used === 0) return false
    if ((await db.execute(value.replace(id))) > 0) return true
    await db.execute(sql`update stored_objects set remove_after = now() where id = ${id} and account_id = ${accountId}`)
    return false
  })
}

/** The same for the same value of the same row. */
function objectId({ kind, row }: Value, sha256: Buffer): string {
  const hex = createHash('sha256').update(`${kind} ${row} `).update(sha256).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** Removes objects that no row refers to; safe to repeat. Returns how many. */
export async function removeUnused(
  db: Database,
  store: ObjectStore,
  accountId: number,
  { limit, signal }: { limit: number; signal?: AbortSignal },
): Promise<number> {
  const unused = await db.rows<{ id: string }>(sql`
    select id from stored_objects where account_id = ${accountId} and ${UNUSED} limit ${limit}`)
  for (const { id } of unused) {
    await store.remove(keyOf(accountId, id), signal)
    await db.execute(sql`delete from stored_objects where id = ${id} and account_id = ${accountId} and ${UNUSED}`)
  }
  return unused.length
}
