import { insufficientScope, invalidParameter, notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { SCOPES, type Scope, type TokenOrigin } from '../../contract/sets.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import { requireVerified } from '../accounts/users.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { writeToUser } from '../mail/mails.ts'
import { hashOf, newToken } from '../privacy/secrets.ts'
import { type Identity, isValidToken } from './access.ts'

interface NewToken {
  user_id: number
  name: string
  scopes: Scope[]
  created_via: TokenOrigin
  expires_at?: string | null
  /** What it is limited to; null: everything its user can access. */
  account_id?: number | null
  project_ids?: number[] | null
  /** Accounts that it has no access to. */
  barred_account_ids?: number[]
}

/** Every token can ping. */
export const withPing = (scopes: readonly Scope[]): Scope[] =>
  SCOPES.filter((scope) => scope === 'ping' || scopes.includes(scope))

/** The value is returned once and not stored. */
export async function create(db: Database, { user_id, name, scopes, created_via, expires_at = null, ...held }: NewToken) {
  const token = newToken()
  const granted = withPing(scopes)
  const row = await db.one<{ id: number; created_at: string }>(sql`
    insert into api_tokens (user_id, name, prefix, hash, scopes, created_via, expires_at, account_id, project_ids, barred_account_ids)
    values (${user_id}, ${name}, ${token.slice(0, 8)}, ${hashOf(token)}, ${granted}, ${created_via}, ${expires_at},
      ${held.account_id ?? null}, ${held.project_ids ?? null}::integer[], ${held.barred_account_ids ?? []}::integer[])
    returning id, created_at`)
  return { ...row!, token, prefix: token.slice(0, 8), scopes: granted }
}

interface TokenRow {
  id: number
  user_id: number
  name: string
  prefix: string
  scopes: Scope[]
  created_via: TokenOrigin
  account_id: number | null
  project_ids: number[] | null
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

const COLUMNS = raw(
  'id, user_id, name, prefix, scopes, created_via, account_id, project_ids, expires_at, revoked_at, last_used_at, created_at',
)

/** Newest first, without the values, which only their owners have. */
export const list = (db: Database, userId?: number): Promise<TokenRow[]> =>
  db.rows(sql`
    select ${COLUMNS} from api_tokens
    where ${userId ?? null}::integer is null or user_id = ${userId ?? null}::integer order by created_at desc, id desc`)

type Holder = Pick<Identity, 'user_id' | 'only_account_id' | 'only_project_ids'>

/** Tokens of the calling user; a limited token sees only tokens with no more access than its own. */
const ownedBy = ({ user_id, only_account_id, only_project_ids }: Holder) => sql`
  user_id = ${user_id} and (${only_account_id}::integer is null or account_id = ${only_account_id}::integer)
  and (${only_project_ids}::integer[] is null or project_ids <@ ${only_project_ids}::integer[])`

export const listOwn = (db: Database, by: Holder): Promise<TokenRow[]> =>
  db.rows(sql`select ${COLUMNS} from api_tokens where ${ownedBy(by)} order by created_at desc, id desc`)

/**
 * Created by its owner, who is notified by email in the same transaction; a token can only create one with no more scopes and no later
 * expiry.
 */
export function createByOwner(
  db: Database,
  { user_id, token_id, scopes: held, ...bounds }: Holder & Pick<Identity, 'token_id' | 'scopes'>,
  {
    name,
    scopes,
    expires_at,
    account_id,
    project_ids,
  }: Required<Omit<NewToken, 'user_id' | 'created_via' | 'barred_account_ids'>>,
  site: string,
) {
  const missing = scopes.find((scope) => !held.includes(scope))
  if (missing) throw insufficientScope(missing, held)
  const created_via = token_id === null ? 'web' : 'api'
  return db.transaction(async (db) => {
    await requireVerified(db, user_id)
    const reach = await boundsOf(db, user_id, bounds, { account_id, project_ids })
    const made = await create(db, { ...reach, ...(await noLonger(db, token_id, expires_at)), user_id, name, scopes, created_via })
    await writeToUser(db, user_id, mailTemplates.tokenCreated(site, { ...made, name, created_via }))
    return { ...(await find(db, made.id)), token: made.token }
  })
}

interface Bounds {
  account_id: number | null
  project_ids: number[] | null
}

/** The user must have access to everything named, and a token made with a token has no more access than that one. */
async function boundsOf(
  db: Database,
  userId: number,
  { only_account_id, only_project_ids }: Pick<Identity, 'only_account_id' | 'only_project_ids'>,
  asked: Bounds,
): Promise<Bounds> {
  const account_id = asked.account_id ?? only_account_id
  const project_ids = asked.project_ids ?? only_project_ids
  if (only_account_id !== null && account_id !== only_account_id) throw notFound('Account')
  if (project_ids?.some((id) => only_project_ids?.includes(id) === false)) throw notFound('Project')
  if (account_id === null) {
    if (project_ids !== null) throw invalidParameter('project_ids', 'need the account_id that they belong to')
    return { account_id, project_ids }
  }
  if (!(await db.one(sql`select from account_members where user_id = ${userId} and account_id = ${account_id}`)))
    throw notFound('Account')
  const { count } = (await db.one<{ count: number }>(sql`
    select count(*) from project_access where user_id = ${userId} and account_id = ${account_id} and project_id = any (${project_ids ?? []}::integer[])`))!
  if (count !== new Set(project_ids).size) throw notFound('Project')
  return { account_id, project_ids }
}

/**
 * A token made with a token expires no later, and has no access to an account that bars that one or is about to: for an account with a
 * maximum token age it inherits the age, however new its value is.
 */
async function noLonger(db: Database, tokenId: number | null, expires_at: string | null) {
  const asking = await db.one<{ expires_at: string | null; ages_at: string | null; barred_account_ids: number[] }>(sql`
    select t.expires_at, min(t.created_at + make_interval(days => a.token_days_max)) filter (where not too_old) as ages_at,
      t.barred_account_ids || coalesce(array_agg(a.id) filter (where too_old), '{}') as barred_account_ids
    from api_tokens t left join account_members m on m.user_id = t.user_id
    left join accounts a on a.id = m.account_id and a.token_days_max is not null and not a.id = any (t.barred_account_ids)
      and (t.account_id is null or t.account_id = a.id)
    cross join lateral (select t.created_at <= now() - make_interval(days => a.token_days_max) as too_old) age
    where t.id = ${tokenId} group by t.id, t.expires_at, t.barred_account_ids`)
  const ends = [expires_at, asking?.expires_at ?? null, asking?.ages_at ?? null].filter((at) => at !== null)
  return { expires_at: ends.sort()[0] ?? null, barred_account_ids: asking?.barred_account_ids ?? [] }
}

const find = async (db: Database, id: number): Promise<TokenRow> =>
  (await db.one<TokenRow>(sql`
    select ${COLUMNS} from api_tokens where id = ${id}`))!

export async function revokeOwn(db: Database, by: Holder, id: number) {
  const found = await db.one(sql`
    update api_tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id} and ${ownedBy(by)} returning id`)
  if (!found) throw notFound('Token')
}

const ACCOUNT_TOKENS_MAX = 500

/**
 * The tokens with access to an account, for its admins: those limited to it, and unlimited ones of its members that are not too old for it.
 */
export const listOfAccount = (db: Database, accountId: number): Promise<(TokenRow & { user_name: string })[]> =>
  db.rows(sql`
    select t.id, t.user_id, u.name as user_name, t.name, t.prefix, t.scopes, t.created_via, t.account_id, t.project_ids, t.expires_at,
      t.revoked_at, t.last_used_at, t.created_at
    from account_members m join accounts a on a.id = m.account_id join users u on u.id = m.user_id join api_tokens t on t.user_id = m.user_id
    where m.account_id = ${accountId} and (a.token_days_max is null or t.created_at > now() - make_interval(days => a.token_days_max))
      and (t.account_id is null or t.account_id = m.account_id) and not m.account_id = any (t.barred_account_ids)
      and ${isValidToken(sql`t`)}
    order by t.created_at desc, t.id desc limit ${ACCOUNT_TOKENS_MAX}`)

/** A token with access to other accounts too is only barred from this one. */
export async function revokeFromAccount(db: Database, accountId: number, id: number) {
  const found = await db.one(sql`
    update api_tokens t set revoked_at = case when t.account_id is null then t.revoked_at else coalesce(t.revoked_at, now()) end,
      barred_account_ids = case when t.account_id is null then array_append(array_remove(t.barred_account_ids, ${accountId}), ${accountId}::integer)
        else t.barred_account_ids end
    from account_members m
    where t.id = ${id} and m.account_id = ${accountId} and m.user_id = t.user_id and (t.account_id is null or t.account_id = ${accountId})
    returning t.id`)
  if (!found) throw notFound('Token')
}

/** Takes effect at once: the next request with it is refused. */
export const revoke = (db: Database, id: number) =>
  db.execute(sql`update api_tokens set revoked_at = now() where id = ${id} and revoked_at is null`)

/** A new value for the same token; the next request with the old value is refused. */
export async function rotate(db: Database, id: number): Promise<string> {
  const token = newToken()
  await db.execute(sql`update api_tokens set prefix = ${token.slice(0, 8)}, hash = ${hashOf(token)} where id = ${id}`)
  return token
}

/**
 * All tokens of a user, and the codes that could still become one. Codes first: one that is being exchanged right now becomes a token
 * before.
 */
export async function revokeAll(db: Database, userId: number): Promise<number> {
  await db.execute(sql`delete from oauth_codes where user_id = ${userId} and used_at is null`)
  return db.execute(sql`update api_tokens set revoked_at = now() where user_id = ${userId} and revoked_at is null`)
}

export const describe = async (db: Database, id: number): Promise<ReplyOf<'ping'>> => {
  const row = await db.one<ReplyOf<'ping'>['token'] & { user_id: number; account_id: number | null }>(sql`
    select t.name, t.prefix, t.scopes, iso(t.expires_at) as expires_at, t.user_id,
      coalesce(t.account_id, u.default_account_id, (select min(account_id) from account_members where user_id = u.id)) as account_id
    from api_tokens t join users u on u.id = t.user_id where t.id = ${id}`)
  const { user_id, account_id, ...token } = row!
  return { ok: true, user_id, account_id, token }
}

/** Collects when tokens were used and writes it from time to time, not once per request. */
export class LastUsed {
  readonly #seen = new Map<number, number>()

  /** A session has no token. */
  note(tokenId: number | null) {
    if (tokenId !== null) this.#seen.set(tokenId, Date.now())
  }

  async flush(db: Database) {
    const seen = [...this.#seen]
    this.#seen.clear()
    if (seen.length === 0) return
    const written = db.execute(sql`
      update api_tokens t set last_used_at = greatest(t.last_used_at, to_timestamp(s.at / 1000.0))
      from unnest(${seen.map(([id]) => id)}::integer[], ${seen.map(([, at]) => at)}::float8[]) s (id, at) where t.id = s.id`)
    await written.catch((error) => {
      for (const [id, at] of seen) this.#seen.set(id, Math.max(at, this.#seen.get(id) ?? 0))
      throw error
    })
  }
}
