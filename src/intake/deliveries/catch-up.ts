import { type Database, isConnectionError, isTransient, type Pool, sql } from '../../db/database.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as deliveries from '../../domain/integrations/deliveries.ts'
import { applyAll } from '../apply.ts'
import { RECORDING_FAILED } from '../deliver.ts'
import type { Fact } from '../facts.ts'
import { ingestHeavy } from '../heavy/heavy.ts'
import { namesIn, wayOf } from '../lines.ts'
import { warned } from '../persist.ts'
import { Unreadable } from '../reading.ts'
import { leanBody } from '../reports/lean-body.ts'
import { readFacts } from '../stored-facts.ts'

interface Key {
  account_id: number
  integration_id: number
}

interface Stored {
  id: number
  status: number
  body: Buffer
  body_note: string | null
  facts: string
  /** When it arrived, before it waited. */
  arrived_at: string
  received_at: string
}

/** Per transaction, and the facts of one: a larger delivery is applied in another process. */
const DELIVERIES_MAX = 32
const LONG = 1024 * 1024
const BATCH_BYTES = 4 * LONG
/** A delivery that can't be recorded for so long is given up: it must not hold up those behind it for ever. */
const GIVE_UP_MS = 3_600_000

/** The class of the lock that only one job at a time has for an integration. */
const CATCHING_UP = 0x63617463

/** Processes deferred deliveries of an integration in their order until none is left. */
export async function catchUp(db: Pool, key: Key): Promise<void> {
  for (let last: number | undefined; ; ) {
    const next = await heads(db, key)
    if (next.length === 0) return
    // Nothing came of it.
    if (next[0]!.id === last) await giveUp(db, key, last)
    last = next[0]!.id
    if (next[0]!.bytes > LONG) await applyLarge(db, key, next[0]!.id)
    else await applyMany(db, key, batchOf(next))
  }
}

interface Head {
  id: number
  bytes: number
}

const heads = (db: Database, { account_id, integration_id }: Key) =>
  db.rows<Head>(sql`
    select d.id, octet_length(d.facts) as bytes from deliveries d
    where d.account_id = ${account_id} and d.integration_id = ${integration_id} and ${deliveries.IS_DEFERRED}
    order by d.id limit ${DELIVERIES_MAX}`)

/** The next ones in order, without a large one and everything behind it. */
function batchOf(heads: readonly Head[]): number[] {
  const ids: number[] = []
  let total = 0
  for (const { id, bytes } of heads) {
    total += bytes
    if (bytes > LONG || (ids.length > 0 && total > BATCH_BYTES)) break
    ids.push(id)
  }
  return ids
}

/** Together; if that fails, one by one, so that one that can't be recorded affects no other. */
async function applyMany(db: Database, key: Key, ids: readonly number[]) {
  try {
    await applyStored(db, key, ids)
  } catch (error) {
    if (isConnectionError(error) || ids.length === 1) await settle(db, key, ids[0]!, error)
    else for (const id of ids) await applyStored(db, key, [id]).catch((error) => settle(db, key, id, error))
  }
}

async function applyLarge(db: Pool, key: Key, delivery_id: number) {
  await ingestHeavy(db, { account_id: key.account_id, delivery_id }).catch((error) => settle(db, key, delivery_id, error))
}

/** What may pass is tried again with this job; anything else is told with the delivery. */
async function settle(db: Database, { account_id }: Pick<Key, 'account_id'>, delivery_id: number, error: unknown) {
  const delivery = { account_id, delivery_id }
  if (error instanceof Unreadable) return void (await deliveries.giveUp(db, delivery, error.message))
  if (isConnectionError(error) || (isTransient(error) && !(await isOld(db, delivery)))) throw error
  await giveUp(db, { account_id }, delivery_id)
}

const giveUp = (db: Database, { account_id }: Pick<Key, 'account_id'>, delivery_id: number) =>
  deliveries.giveUp(db, { account_id, delivery_id }, RECORDING_FAILED, 500)

const isOld = async (db: Database, { account_id, delivery_id }: deliveries.DeliveryKey) =>
  (await db.one(sql`
    select from deliveries where account_id = ${account_id} and id = ${delivery_id}
      and received_at < now() - make_interval(secs => ${GIVE_UP_MS / 1000})`)) !== undefined

/** Deliveries and their effects change together. */
const applyStored = (db: Database, key: Key, ids: readonly number[]): Promise<void> =>
  db.transaction(async (db) => {
    // A job that was replaced while it ran is followed by the next: one works, the other waits.
    await db.execute(sql`select pg_advisory_xact_lock(${CATCHING_UP}, ${key.integration_id}::integer)`)
    const context = await db.one<IntegrationContext>(sql`
      select i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_rules
      from integrations i join projects p on p.id = i.project_id
      where i.account_id = ${key.account_id} and i.id = ${key.integration_id}`)
    const stored = await db.rows<Stored>(sql`
      select d.id, d.status, d.body, d.body_note, d.facts, d.received_at - make_interval(secs => d.waited / 1000.0) as arrived_at
      from deliveries d where d.account_id = ${key.account_id} and d.id = any (${ids}::bigint[]) and ${deliveries.IS_DEFERRED}
      order by d.id for update`)
    for (const some of context ? separated(stored) : []) await applyTogether(db, context!, some)
  })

/** Facts with the time of their arrival where the tool told none: that of their processing is later. */
const timed = (facts: readonly Fact[], { arrived_at }: Stored): Fact[] =>
  facts.map((fact) =>
    fact.kind === 'build' && fact.at === undefined && fact.finished_at === undefined ? { ...fact, at: arrived_at } : fact,
  )

interface Read {
  one: Stored
  facts: Fact[]
  signed: boolean
}

/** In their order, in parts that are applied in the same way and report no change or build twice. */
function separated(deliveries: readonly Stored[]): Read[][] {
  const parts: Read[][] = []
  let [names, way] = [new Set<string>(), '']
  for (const one of deliveries) {
    const { facts: stored, signed } = readFacts(one.facts)
    const facts = timed(stored, one)
    const own = namesIn(facts)
    if (wayOf(facts) !== way || own.some((name) => names.has(name))) {
      parts.push([])
      names = new Set()
      way = wayOf(facts)
    }
    for (const name of own) names.add(name)
    parts.at(-1)!.push({ one, facts, signed })
  }
  return parts
}

async function applyTogether(db: Database, context: IntegrationContext, read: readonly Read[]) {
  const began = performance.now()
  const applied = await applyAll(
    db,
    { ...context, signed: read.every(({ signed }) => signed) },
    read.map(({ facts }) => facts),
  )
  const milliseconds = Math.round((performance.now() - began) / read.length)
  const ended = read.map(({ one, facts }, index) => {
    const { outcome, records, warnings } = applied[index]!
    // The build has the log.
    const lean = outcome === 'processed' && one.body_note === null ? leanBody(one.body, facts) : undefined
    const body = lean ? { body: lean, body_note: 'log' as const } : {}
    return { id: one.id, outcome, status: one.status, records, message: warned(warnings).message, milliseconds, ...body }
  })
  await deliveries.finish(db, context.account_id, ended)
  await deliveries.clearFacts(
    db,
    context.account_id,
    read.map(({ one }) => one.id),
  )
}
