import { createHash } from 'node:crypto'
import { isObjectLost } from '../../contract/errors.ts'
import { type Database, type ObjectStore, type Sql, sql } from '../../db/database.ts'
import { logOf } from '../builds/stored-log.ts'
import { hashOf, keyOf } from '../objects/objects.ts'
import { dueBodies, dueLogs, integrationsOf, UNUSED } from './objects-due.ts'

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
      with unchanged as materialized (
        select id from build_runs
        where account_id = ${accountId} and id = ${id} and log_object is not distinct from ${row.log_object}::uuid
          and sha256(convert_to(output_log, 'UTF8')) = ${hashOf(Buffer.from(row.log!))}
        for update)
      update build_runs b set output_log = null, log_object = ${object} from unchanged u where b.account_id = ${accountId} and b.id = u.id`,
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
    on conflict (account_id, id) do update set remove_after = excluded.remove_after where o.remove_after > now()`)
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
