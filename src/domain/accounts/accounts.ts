import { notFound } from '../../contract/errors.ts'
import type { Plan, ReadOnlyReason, SharePolicy } from '../../contract/sets.ts'
import { type Database, join, raw, type Sql, sql } from '../../db/database.ts'
import type { OwnQuotas } from './quotas.ts'
import type { AccountRetention } from './retention-days.ts'
import { lift, sweepThese } from './trials.ts'

interface AccountFields {
  name: string
  plan: Plan
  timezone: string
  trial_ends_at: string | null
  payment_method: boolean
  demo: boolean
  members_see_projects: boolean
  /** Whether the operator's language model may phrase its findings. */
  uses_language_model: boolean
  /** The maximum age of a token in days; null: any age. */
  token_days_max: number | null
  /** Ranges that people and tokens may connect from; null: anywhere. */
  allowed_addresses: string[] | null
  requires_second_factor: boolean
  share_policy: SharePolicy
  share_days_max: number
  /** Whether share links work outside of the allowed addresses. */
  share_anywhere: boolean
  /** Null: unlimited. */
  credits: number | null
  daily_limit: number | null
  /** Quotas set for this account; the defaults of the service apply to the rest. */
  quotas: OwnQuotas
}

/** The columns that may be written: names from a request never get into a statement. */
const COLUMNS = [
  'name',
  'plan',
  'timezone',
  'trial_ends_at',
  'payment_method',
  'demo',
  'members_see_projects',
  'uses_language_model',
  'token_days_max',
  'allowed_addresses',
  'requires_second_factor',
  'share_policy',
  'share_days_max',
  'share_anywhere',
  'credits',
  'daily_limit',
  'quotas',
] as const satisfies readonly (keyof AccountFields)[]

const givenOf = (fields: Partial<AccountFields>) =>
  COLUMNS.flatMap((name) => (fields[name] === undefined ? [] : [[raw(name), fields[name]] as const]))

interface Account extends AccountFields {
  id: number
  retention: AccountRetention
  read_only: ReadOnlyReason | null
  members: number
  projects: number
  created_at: string
}

const select = (where: Sql) => sql`
  select a.id, a.name, a.plan, a.timezone, a.trial_ends_at, a.payment_method, a.demo, a.members_see_projects, a.uses_language_model, a.token_days_max, a.allowed_addresses::text[], a.requires_second_factor, a.share_policy, a.share_days_max, a.share_anywhere, a.retention, a.quotas, a.credits, a.daily_limit, a.created_at,
    case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only,
    (select count(*) from account_members m where m.account_id = a.id) as members,
    (select count(*) from projects p where p.account_id = a.id and p.deleted_at is null) as projects
  from accounts a ${where} order by a.id`

export const list = (db: Database): Promise<Account[]> => db.rows(select(sql``))

export async function find(db: Database, id: number): Promise<Account> {
  const account = await db.one<Account>(select(sql`where a.id = ${id}`))
  if (!account) throw notFound('Account')
  return account
}

/** Missing fields get the column's default. */
export function create(db: Database, fields: Partial<AccountFields> & { name: string }): Promise<Account> {
  const given = givenOf(fields)
  return db.transaction(async (db) => {
    const row = await db.one<{ id: number }>(sql`
      insert into accounts (${join(given.map(([name]) => name))})
      values (${join(given.map(([, value]) => value))}) returning id`)
    await sweepThese(db, [row!.id])
    return find(db, row!.id)
  })
}

/** A payment method or a longer trial reopens an expired account at once; removing it closes it at once. */
export function edit(db: Database, id: number, fields: Partial<AccountFields>): Promise<Account> {
  const given = givenOf(fields)
  return db.transaction(async (db) => {
    if (given.length > 0)
      await db.execute(sql`
        update accounts set ${join(given.map(([name, value]) => sql`${name} = ${value}`))}, updated_at = now() where id = ${id}`)
    await lift(db, id)
    await sweepThese(db, [id])
    return find(db, id)
  })
}
