import { notFound, objectStoreAway } from '../../contract/errors.ts'
import type { DeliveryOutcome, ProviderName } from '../../contract/sets.ts'
import { type Database, ofAccount, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { ANY_ACCOUNT } from '../accounts/every-account.ts'
import * as objects from '../objects/objects.ts'
import { READ_MAX, shownBody } from '../privacy/delivery-body.ts'
import { scrub } from '../privacy/scrub.ts'
import type { IntegrationContext } from './context.ts'
import type { DeliveryKey } from './deliveries.ts'
import { BODY_NOTES, type BodyNote } from './intake-usage.ts'

/** A delivery in the log. */
interface Listed {
  id: number
  integration_id: number
  provider: ProviderName
  received_at: string
  path: string
  event: string
  outcome: DeliveryOutcome
  status: number
  message: string
  records: { type: string; id: number | string }[]
  milliseconds: number
  /** Milliseconds from its arrival until it was processed; of an accepted one until it was stored. */
  waited_milliseconds: number
  /** Answered with `accepted` while its sender waited, and processed later. */
  accepted_first: boolean
  bytes: number | null
  replay_of: number | null
  test: boolean
}

export interface Filter {
  project_id?: number | undefined
  integration_id?: number | undefined
  outcome?: DeliveryOutcome | undefined
  event?: string | undefined
  since?: string | undefined
  until?: string | undefined
  /** Only those older than this: the last id of the previous page. */
  before?: number | undefined
  limit?: number | undefined
}

const COLUMNS = sql`d.id, d.integration_id, i.provider, d.received_at, d.path, d.event, d.outcome, d.status, d.message, d.records,
  d.milliseconds, d.waited as waited_milliseconds, d.deferred as accepted_first, coalesce(d.body_bytes, octet_length(d.body)) as bytes, d.replay_of, d.test`

const clean = <Row extends Listed>(row: Row): Row => ({
  ...row,
  event: scrub(row.event),
  message: scrub(row.message),
})

/**
 * Newest first, each integration's by its own index: the global order would be read whole for a project with few deliveries. `between`
 * instead of `=` gives an order that no other index has.
 */
export async function list(db: Database, filter: Filter): Promise<{ deliveries: Listed[]; has_more: boolean }> {
  const limit = filter.limit ?? 50
  const rows = (await db.isDistributed()) ? await readOfEach(db, filter, limit) : await read(db, filter, limit)
  return { deliveries: rows.slice(0, limit).map(clean), has_more: rows.length > limit }
}

/** On several servers account by account: only an operator lists those of several. */
async function readOfEach(db: Database, filter: Filter, limit: number): Promise<Listed[]> {
  const accounts = await db.rows<{ account_id: number }>(
    sql`select distinct i.account_id from integrations i where ${isListed(filter)}`,
  )
  const rows: Listed[] = []
  for (const { account_id } of accounts) rows.push(...(await read(ofAccount(db, account_id), filter, limit)))
  return rows.sort((a, b) => b.id - a.id)
}

const isListed = (filter: Filter): Sql => sql`i.deleted_at is null
  ${when(filter.project_id, (id) => sql`and i.project_id = ${id}`)}
  ${when(filter.integration_id, (id) => sql`and i.id = ${id}`)}`

const read = (db: Database, filter: Filter, limit: number): Promise<Listed[]> =>
  db.rows<Listed>(sql`
    select ${COLUMNS} from integrations i cross join lateral (
      select * from deliveries d where d.account_id = i.account_id and d.integration_id between i.id and i.id
        ${when(filter.outcome, (outcome) => sql`and d.outcome = ${outcome}`)}
        ${when(filter.event, (event) => sql`and d.event = ${event}`)}
        ${when(filter.since, (at) => sql`and d.received_at >= ${at}`)}
        ${when(filter.until, (at) => sql`and d.received_at < ${at}`)}
        ${when(filter.before, (id) => sql`and d.id < ${id}`)}
      order by d.integration_id, d.id desc limit ${limit + 1}) d
    where ${isListed(filter)}
    order by d.id desc limit ${limit + 1}`)

export interface Shown extends Listed {
  headers: Record<string, string>
  /** null if it is past its retention or was not stored. */
  body: string | null
  body_cut: boolean
  /** Why it was not stored, or not entirely. */
  body_note: string | null
}

const BODY_MAX = 256_000

interface ShownRow extends Listed {
  headers: Record<string, string>
  raw: Buffer | null
  body_object: string | null
  body_note: BodyNote | null
}

const ONE = sql`deliveries d join integrations i on i.account_id = d.account_id and i.id = d.integration_id`
const called = ({ account_id, delivery_id }: DeliveryKey) =>
  sql`d.account_id = ${account_id} and d.id = ${delivery_id} and i.deleted_at is null`

/** With the body that `locate` read, where it was moved. */
export async function show(db: Database, delivery: DeliveryKey, moved?: Buffer): Promise<Shown> {
  const row = await db.one<ShownRow>(sql`
    select ${COLUMNS}, d.headers, d.body_note, d.body_object, substring(d.body for ${READ_MAX}) as raw
    from ${ONE} where ${called(delivery)}`)
  if (!row) throw notFound('Delivery')
  const { raw: inRow, body_object, headers, body_note, ...listed } = clean(row)
  const raw = bodyOf({ body: inRow, body_object }, moved)?.subarray(0, READ_MAX) ?? null
  const isStored = raw !== null && (body_note === null || raw.length > 0)
  const body = isStored ? shownBody(raw, headers['content-type']) : null
  return {
    ...listed,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)])),
    body: body === null ? null : body.slice(0, BODY_MAX),
    body_cut: (body?.length ?? 0) > BODY_MAX || (isStored && body_note === 'refused'),
    body_note: raw && body_note && BODY_NOTES[body_note],
  }
}

interface Located {
  account_id: number
  /** The size of its body, if it has one. */
  bytes: number | null
  /** The body itself, if it is not in the row. */
  moved?: Buffer | undefined
}

/**
 * The account of a delivery, the size of its body, and the part of it that is not in the row; another project's is not found. An
 * operator names no project.
 */
export async function locate(db: Database, id: number, project?: ProjectKey): Promise<Located> {
  const within = project
    ? sql`d.account_id = ${project.account_id} and i.project_id = ${project.project_id}`
    : sql`d.account_id = ${ANY_ACCOUNT}`
  const row = await db.one<{ account_id: number; bytes: number | null; body_object: string | null }>(sql`
    select d.account_id, octet_length(d.body) as bytes, d.body_object
    from ${ONE} where ${within} and d.id = ${id} and i.deleted_at is null`)
  if (!row) throw notFound('Delivery')
  const { account_id, bytes, body_object } = row
  if (body_object === null) return { account_id, bytes }
  const moved = await objects.read(db, account_id, body_object)
  return { account_id, bytes: moved.length, moved }
}

/** A body that is being moved at this very moment is found by the next request. */
function bodyOf({ body, body_object }: { body: Buffer | null; body_object: string | null }, moved: Buffer | undefined) {
  if (body_object !== null && moved === undefined) throw objectStoreAway('The body is being moved.')
  return body_object === null ? body : moved!
}

/** A delivery as it arrived, with its integration. */
export interface Stored extends IntegrationContext {
  path: string
  headers: Record<string, string>
  body: Buffer | null
  body_note: BodyNote | null
  received_at: string
  outcome: DeliveryOutcome
  status: number
  test: boolean
  requires_signature: boolean
}

/** With the body that `locate` read, if it was moved. */
export async function stored(db: Database, delivery: DeliveryKey, moved?: Buffer): Promise<Stored> {
  const row = await db.one<Stored & { body_object: string | null }>(sql`
    select d.path, d.headers, d.body, d.body_object, d.body_note, d.received_at, d.outcome, d.status, d.test, i.id as integration_id,
      i.provider, i.config, i.requires_signature,
      p.id as project_id, p.account_id, p.engine, p.approval_rules
    from ${ONE} join projects p on p.id = i.project_id
    where ${called(delivery)}`)
  if (!row) throw notFound('Delivery')
  const { body_object, ...arrived } = row
  return { ...arrived, body: bodyOf({ body: row.body, body_object }, moved) }
}
