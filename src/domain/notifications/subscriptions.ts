import { invalidEventType, invalidParameter, notFound, webhooksNeedPlan } from '../../contract/errors.ts'
import { EVENT_TYPES, isChosen } from '../../contract/events.ts'
import { URL_MAX } from '../../contract/limits.ts'
import type { Plan, SubscriptionStatus } from '../../contract/sets.ts'
import { type Database, reserveId, type Sql, sql } from '../../db/database.ts'
import { sealedIn, type Vault } from '../access/secrets.ts'
import * as outbox from '../feed/outbox.ts'
import { newSecret } from './webhook-signature.ts'

/** An address that is told what happens in an account. */
interface Subscription {
  id: number
  account_id: number
  /** Null for all projects. */
  project_id: number | null
  url: string
  /** As written, wildcards included; empty for everything. */
  event_types: string[]
  status: SubscriptionStatus
  failing_since: string | null
  /** Deliveries not yet made. */
  waiting: number
  created_at: string
  updated_at: string
}

const select = (where: Sql) => sql`
  select s.id, s.account_id, s.project_id, s.url, s.event_types, s.status, s.failing_since, s.created_at, s.updated_at,
    (select count(*) from outgoing o where o.subscription_id = s.id and o.status = 'waiting') as waiting
  from subscriptions s ${where} order by s.id`

export const list = (db: Database, accountId?: number): Promise<Subscription[]> =>
  db.rows(select(accountId === undefined ? sql`` : sql`where s.account_id = ${accountId}`))

export async function find(db: Database, id: number): Promise<Subscription> {
  const subscription = await db.one<Subscription>(select(sql`where s.id = ${id}`))
  if (!subscription) throw notFound('Webhook')
  return subscription
}

/** The place that the secret of a subscription is sealed for; a former one stays sealed for it. */
export const secretOf = (id: number) => sealedIn('subscriptions', id, 'secret_sealed')

export interface SubscriptionFields {
  url: string
  event_types: string[]
  project_id: number | null
}

/** Is told what happens from now on. */
export async function create(
  db: Database,
  vault: Vault,
  { account_id, url, event_types = [], project_id = null }: { account_id: number; url: string } & Partial<SubscriptionFields>,
): Promise<Subscription & { secret: string }> {
  const [address, types] = [readUrl(url), readTypes(event_types)]
  return db.transaction(async (db) => {
    const account = await db.one<{ plan: Plan }>(sql`select plan from accounts where id = ${account_id}`)
    if (!account) throw notFound('Account')
    if (account.plan === 'free') throw webhooksNeedPlan()
    await requireProject(db, account_id, project_id)
    await outbox.sequenceAll(db)
    const secret = newSecret()
    const id = await reserveId(db, 'subscriptions')
    await db.execute(sql`
      insert into subscriptions (id, account_id, project_id, url, event_types, secret_sealed, position) overriding system value
      values (${id}, ${account_id}, ${project_id}, ${address}, ${types}, ${vault.seal(secret, secretOf(id))}, ${await outbox.end(db)})`)
    return { ...(await find(db, id)), secret }
  })
}

/** Holds for what happens from now on; what waits already goes to the new address. */
export function edit(db: Database, id: number, fields: Partial<SubscriptionFields>): Promise<Subscription> {
  return db.transaction(async (db) => {
    const { account_id, url, event_types, project_id } = { ...(await find(db, id)), ...given(fields) }
    await requireProject(db, account_id, project_id)
    await db.execute(sql`
      update subscriptions set url = ${readUrl(url)}, event_types = ${readTypes(event_types)}, project_id = ${project_id}, updated_at = now()
      where id = ${id}`)
    return find(db, id)
  })
}

/** Keeps its place: what happens meanwhile is delivered after it is resumed, as far back as the outbox reaches. */
export async function pause(db: Database, id: number): Promise<Subscription> {
  await db.execute(sql`update subscriptions set status = 'paused', updated_at = now() where id = ${id} and status = 'active'`)
  return find(db, id)
}

/** Goes on where it stopped, whatever stopped it, and with all of its patience. */
export const resume = (db: Database, id: number): Promise<Subscription> =>
  db.transaction(async (db) => {
    await db.execute(sql`
      update subscriptions set status = 'active', failing_since = null, updated_at = now() where id = ${id}`)
    await db.execute(sql`
      update outgoing set tries = 0, first_tried_at = null, next_at = now()
      where subscription_id = ${id} and status = 'waiting' and tries > 0`)
    return find(db, id)
  })

/** Its queue and its log go with it. */
export async function remove(db: Database, id: number) {
  if ((await db.execute(sql`delete from subscriptions where id = ${id}`)) === 0) throw notFound('Webhook')
}

export async function showSecret(db: Database, vault: Vault, id: number): Promise<string> {
  const row = await db.one<{ secret_sealed: string }>(sql`select secret_sealed from subscriptions where id = ${id}`)
  if (!row) throw notFound('Webhook')
  return vault.open(row.secret_sealed, secretOf(id))
}

const FORMER_HOURS = 24

/** For a day messages are signed with both, so that the receiver can change over whenever it suits. */
export async function rotateSecret(db: Database, vault: Vault, id: number): Promise<Subscription & { secret: string }> {
  const secret = newSecret()
  await db.execute(sql`
    update subscriptions set former_sealed = secret_sealed, former_until = now() + make_interval(hours => ${FORMER_HOURS}),
      secret_sealed = ${vault.seal(secret, secretOf(id))}, updated_at = now()
    where id = ${id}`)
  return { ...(await find(db, id)), secret }
}

const given = (fields: Partial<SubscriptionFields>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<SubscriptionFields>

function readUrl(text: string): string {
  const url = text.length <= URL_MAX && URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw invalidParameter('url', `must start with https:// or http:// and have at most ${URL_MAX} characters`)
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a password')
  return url.href
}

/** Kept as written, so that a wildcard also stands for types that come later. */
export function readTypes(words: string[]): string[] {
  for (const word of words)
    if (word === '.*' || !EVENT_TYPES.some((type) => isChosen([word], type))) throw invalidEventType(EVENT_TYPES)
  return [...new Set(words)]
}

async function requireProject(db: Database, accountId: number, projectId: number | null) {
  if (projectId === null) return
  if (!(await db.one(sql`select from projects where id = ${projectId} and account_id = ${accountId}`))) throw notFound('Project')
}
