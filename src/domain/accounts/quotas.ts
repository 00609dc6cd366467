import { notFound, quotaExceeded } from '../../contract/errors.ts'
import { QUOTA_KINDS, type QuotaKind } from '../../contract/sets.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import { bodyDays } from './retention-days.ts'

/** Null: unlimited. */
export type Quotas = Record<QuotaKind, number | null>
/** Quotas of one account. */
export type OwnQuotas = Partial<Quotas>

/** Invitations go to strangers and could ruin the mail reputation of a shared service; no studio needs more in a day. */
export const QUOTA_DEFAULTS = {
  deliveries: null,
  webhooks: null,
  streams: null,
  integrations: null,
  invitations: 500,
  file_bytes: 50e9,
}

export const limitOf = (service: Quotas, own: OwnQuotas, kind: QuotaKind): number | null =>
  own[kind] === undefined ? service[kind] : own[kind]

const MULTIPLES: Record<string, number> = { MB: 1e6, GB: 1e9, TB: 1e12 }

/** Parses `deliveries=100000, stored_bytes=50GB, webhooks=off`; throws a readable error. */
export function readQuotas(text: string): OwnQuotas {
  const quotas: OwnQuotas = {}
  for (const part of text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)) {
    const [, kind, count, unit] = /^(\w+)=(?:off|(\d{1,12})(MB|GB|TB)?)$/.exec(part) ?? []
    if (!QUOTA_KINDS.includes(kind as QuotaKind))
      throw new Error(`must be a list like deliveries=100000,webhooks=off of ${QUOTA_KINDS.join(', ')}; not "${part}"`)
    quotas[kind as QuotaKind] = count === undefined ? null : Number(count) * (unit ? MULTIPLES[unit]! : 1)
  }
  return quotas
}

const own = async (db: Database, accountId: number): Promise<OwnQuotas> => {
  const row = await db.one<{ quotas: OwnQuotas }>(sql`select quotas from accounts where id = ${accountId}`)
  if (!row) throw notFound('Account')
  return row.quotas
}

/** Set by the operator; the service's quotas apply to kinds that are not given. */
export const set = (db: Database, accountId: number, quotas: OwnQuotas) =>
  db.execute(sql`update accounts set quotas = ${JSON.stringify(quotas)}::jsonb, updated_at = now() where id = ${accountId}`)

const counted = {
  webhooks: (id: number) => sql`select count(*) as used from destinations where account_id = ${id} and kind = 'webhook'`,
  integrations: (id: number) => sql`
    select count(*) as used from integrations i join projects p on p.id = i.project_id
    where p.account_id = ${id} and p.deleted_at is null and i.deleted_at is null`,
  /** Of artifacts, what has arrived. */
  file_bytes: (id: number) => sql`
    select coalesce(sum(attachments + previews + artifacts), 0)::float8 as used from file_usage where account_id = ${id}`,
  /** Each counts as one email, also a repeated one to the same address. */
  invitations: (id: number) => sql`
    select count(*) as used, greatest(1, extract(epoch from min(created_at) + interval '1 day' - now()))::integer as retry_after
    from mails where account_id = ${id} and to_address is not null and created_at > now() - interval '1 day'`,
}

/** Called before another one is created. Serializes two callers who want the last one. */
export async function refuseIfFull(db: Database, service: Quotas, accountId: number, kind: keyof typeof counted) {
  const limit = limitOf(service, await own(db, accountId), kind)
  if (limit === null) return
  await db.one(sql`select from accounts where id = ${accountId} for no key update`)
  const { used, retry_after } = (await db.one<{ used: number; retry_after?: number }>(counted[kind](accountId)))!
  if (used >= limit) throw quotaExceeded(kind, limit, used, retry_after)
}

export type FileKind = 'attachments' | 'previews' | 'artifacts'

/** Previews are made without being asked for, so they leave room for the files that builds and people store. */
const SHARES: Partial<Record<FileKind, number>> = { previews: 0.4 }

/** The bytes of files that an account may store; null: any number. */
export const fileLimit = async (db: Database, service: Quotas, accountId: number): Promise<number | null> =>
  limitOf(service, await own(db, accountId), 'file_bytes')

/** Called before another file of this size is stored. Within a transaction, two callers who want the last bytes wait for each other. */
export async function refuseFile(db: Database, service: Quotas, accountId: number, kind: FileKind, bytes: number) {
  const limit = await fileLimit(db, service, accountId)
  if (limit === null) return
  const usage = () =>
    db.one<{ total: number; of_kind: number }>(sql`
      select (attachments + previews + artifacts)::float8 as total, ${raw(kind)}::float8 as of_kind from file_usage
      where account_id = ${accountId} for no key update`)
  let used = await usage()
  if (!used) {
    await db.execute(sql`insert into file_usage (account_id) values (${accountId}) on conflict do nothing`)
    used = (await usage())!
  }
  if (used.total + bytes > limit) throw quotaExceeded('file_bytes', limit, used.total)
  const share = Math.floor(limit * (SHARES[kind] ?? 1))
  if (used.of_kind + bytes > share) throw quotaExceeded(`bytes of ${kind}`, share, used.of_kind)
}

/** After how many seconds a refused stream should retry. */
const STREAM_RETRY_S = 30

export async function refuseStream(db: Database, service: Quotas, accountId: number, open: number) {
  const limit = limitOf(service, await own(db, accountId), 'streams')
  if (limit !== null && open >= limit) throw quotaExceeded('streams', limit, open, STREAM_RETRY_S)
}

export interface Usage {
  kind: QuotaKind
  /** Null: every process counts by itself. */
  used: number | null
  limit: number | null
}

/** Usage against the quotas; sums of a few rows. `days`: how long the service keeps bodies. */
export async function usage(db: Database, service: Quotas, accountId: number, days: number | null): Promise<Usage[]> {
  const mine = await own(db, accountId)
  const told = (await db.one<{ stored_bytes: number; deliveries: number }>(sql`
    select coalesce(sum(bytes) filter (where day > coalesce(current_date - ${bodyDays(days, accountId)}, '-infinity')), 0)::float8 as stored_bytes,
      coalesce(sum(deliveries) filter (where day = current_date), 0)::float8 as deliveries
    from intake_usage where account_id = ${accountId}`))!
  const count = async (kind: keyof typeof counted) => (await db.one<{ used: number }>(counted[kind](accountId)))!.used
  const used: Record<QuotaKind, number | null> = {
    ...told,
    webhooks: await count('webhooks'),
    integrations: await count('integrations'),
    invitations: await count('invitations'),
    file_bytes: await count('file_bytes'),
    streams: null,
  }
  return QUOTA_KINDS.map((kind) => ({ kind, used: used[kind], limit: limitOf(service, mine, kind) }))
}
