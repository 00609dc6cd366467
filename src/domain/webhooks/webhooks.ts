import { invalidEventType, invalidParameter, notFound, webhooksNeedPlan } from '../../contract/errors.ts'
import { EVENT_TYPES, isChosen } from '../../contract/events.ts'
import { URL_MAX } from '../../contract/limits.ts'
import type { Plan, WebhookStatus } from '../../contract/sets.ts'
import { type Database, reserveId, type Sql, sql } from '../../db/database.ts'
import * as outbox from '../feed/outbox.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import * as mails from '../mail/mails.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Vault } from '../privacy/secrets.ts'
import { type Destination, IN_QUEUE, recordFailure, secretOf, switchOff } from '../sending/destinations.ts'
import { type Attempt, recordUndelivered } from '../sending/messages.ts'
import { newSecret } from './webhook-signature.ts'

/** A URL that gets the events of an account. */
interface Webhook {
  id: number
  account_id: number
  /** Null for all projects. */
  project_id: number | null
  url: string
  /** As written, wildcards included; empty for everything. */
  event_types: string[]
  status: WebhookStatus
  failing_since: string | null
  /** Deliveries not yet made. */
  waiting: number
  created_at: string
  updated_at: string
}

const select = (where: Sql) => sql`
  select d.id, d.account_id, d.project_id, d.url, d.event_types, d.status, d.failing_since, d.created_at, d.updated_at,
    (select count(*) from messages m where m.account_id = d.account_id and m.destination_id = d.id and ${IN_QUEUE}) as waiting
  from destinations d where d.kind = 'webhook' ${where} order by d.id`

const ofWebhook = (id: number) => sql`id = ${id} and kind = 'webhook'`

export const list = (db: Database, accountId?: number): Promise<Webhook[]> =>
  db.rows(select(accountId === undefined ? sql`` : sql`and d.account_id = ${accountId}`))

export async function find(db: Database, id: number): Promise<Webhook> {
  const webhook = await db.one<Webhook>(select(sql`and d.id = ${id}`))
  if (!webhook) throw notFound('Webhook')
  return webhook
}

export interface WebhookFields {
  url: string
  event_types: string[]
  project_id: number | null
}

/** Gets the events from now on. */
export async function create(
  db: Database,
  vault: Vault,
  { account_id, url, event_types = [], project_id = null }: { account_id: number; url: string } & Partial<WebhookFields>,
): Promise<Webhook & { secret: string }> {
  const [address, types] = [readUrl(url), readTypes(event_types)]
  return db.transaction(async (db) => {
    const account = await db.one<{ plan: Plan }>(sql`select plan from accounts where id = ${account_id}`)
    if (!account) throw notFound('Account')
    if (account.plan === 'free') throw webhooksNeedPlan()
    await requireProject(db, account_id, project_id)
    await sequenceAll(db, account_id)
    const secret = newSecret()
    const id = await reserveId(db, 'destinations')
    await db.execute(sql`
      insert into destinations (id, account_id, kind, project_id, url, event_types, secret_sealed, position) overriding system value
      values (${id}, ${account_id}, 'webhook', ${project_id}, ${address}, ${types}, ${vault.seal(secret, secretOf(id))}, ${await outbox.end(db, account_id)})`)
    return { ...(await find(db, id)), secret }
  })
}

/** Applies to future events; waiting messages are sent to the new URL. */
export function edit(db: Database, id: number, fields: Partial<WebhookFields>): Promise<Webhook> {
  return db.transaction(async (db) => {
    const { account_id, url, event_types, project_id } = { ...(await find(db, id)), ...given(fields) }
    await requireProject(db, account_id, project_id)
    await db.execute(sql`
      update destinations set url = ${readUrl(url)}, event_types = ${readTypes(event_types)}, project_id = ${project_id}, updated_at = now()
      where ${ofWebhook(id)}`)
    return find(db, id)
  })
}

/** Keeps its cursor: events that happen meanwhile are delivered after it is resumed, as far back as the outbox goes. */
export async function pause(db: Database, id: number): Promise<Webhook> {
  await db.execute(
    sql`update destinations set status = 'paused', updated_at = now() where ${ofWebhook(id)} and status = 'active'`,
  )
  return find(db, id)
}

/** Continues where it stopped, with the first delay of the back-off. */
export const resume = (db: Database, id: number): Promise<Webhook> =>
  db.transaction(async (db) => {
    await db.execute(sql`
      update destinations set status = 'active', failing_since = null, tries = 0, error = '', rests_until = now(), updated_at = now()
      where ${ofWebhook(id)}`)
    await db.execute(sql`
      update messages set tries = 0, first_tried_at = null, not_before = now()
      where destination_id = ${id} and status = 'waiting' and tries > 0`)
    return find(db, id)
  })

/** Deletes its queue and its log, too. */
export async function remove(db: Database, id: number) {
  if ((await db.execute(sql`delete from destinations where ${ofWebhook(id)}`)) === 0) throw notFound('Webhook')
}

export async function showSecret(db: Database, vault: Vault, id: number): Promise<string> {
  const row = await db.one<{ secret_sealed: string }>(sql`select secret_sealed from destinations where ${ofWebhook(id)}`)
  if (!row) throw notFound('Webhook')
  return vault.open(row.secret_sealed, secretOf(id))
}

const FORMER_HOURS = 24

/** For a day messages are signed with both, so that the receiver can switch at any time. */
export async function rotateSecret(db: Database, vault: Vault, id: number): Promise<Webhook & { secret: string }> {
  const secret = newSecret()
  await db.execute(sql`
    update destinations set former_sealed = secret_sealed, former_until = now() + make_interval(hours => ${FORMER_HOURS}),
      secret_sealed = ${vault.seal(secret, secretOf(id))}, updated_at = now()
    where ${ofWebhook(id)}`)
  return { ...(await find(db, id)), secret }
}

const given = (fields: Partial<WebhookFields>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<WebhookFields>

function readUrl(text: string): string {
  const url = text.length <= URL_MAX && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalidParameter('url', `must start with https:// or http:// and have at most ${URL_MAX} characters`)
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a password')
  return url.href
}

/** Stored as written, so that a wildcard also matches future types. */
export function readTypes(words: string[]): string[] {
  for (const word of words)
    if (word === '.*' || !EVENT_TYPES.some((type) => isChosen([word], type))) throw invalidEventType(EVENT_TYPES)
  return [...new Set(words)]
}

async function requireProject(db: Database, accountId: number, projectId: number | null) {
  if (projectId === null) return
  if (!(await db.one(sql`select from projects where id = ${projectId} and account_id = ${accountId}`))) throw notFound('Project')
}

const GONE = 410

/** The receiver refused a message. A receiver that responds with 410, or fails for five days, is disabled. */
export const recordFailed = (db: Database, to: Destination, attempt: Attempt, delaySeconds: number) =>
  db.transaction(async (db) => {
    const why = attempt.status === null ? scrub(attempt.error) : `answered ${attempt.status}`
    const off = (status: WebhookStatus) => switchOff(db, to, { status, action: 'switchOffWebhook', subject: 'webhook', why })
    if (attempt.status === GONE) {
      await recordUndelivered(db, to.account_id, attempt, 0)
      return off('gone')
    }
    const seconds = await recordUndelivered(db, to.account_id, attempt, delaySeconds)
    const ended = (await recordFailure(db, to, seconds, why)) && (await off('failing'))
    if (ended)
      await mails.writeToOwners(db, ended.account_id, 'An outbound webhook was disabled', farewell(to.id, ended.url, why))
  })

/** URLs may contain secrets after the question mark. */
const farewell = (id: number, url: string, last: string) => `\
Webhook ${id} (${url.split('?', 1)[0]}) was disabled after 5 days of failed deliveries.

Last attempt: ${last}

Pending messages are kept. When the receiver works again, resume the webhook and it continues where it stopped.
`
