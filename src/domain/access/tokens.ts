import { insufficientScope, notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { SCOPES, type Scope, type TokenOrigin } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { requireVerified } from '../accounts/users.ts'
import * as mailTemplates from '../notifications/mail-templates.ts'
import { writeToUser } from '../notifications/mails.ts'
import type { Identity } from './access.ts'
import { hashOf, newToken } from './secrets.ts'

interface NewToken {
  user_id: number
  name: string
  scopes: Scope[]
  created_via: TokenOrigin
  expires_at?: string | null
}

/** Every token can ping. */
export const withPing = (scopes: readonly Scope[]): Scope[] =>
  SCOPES.filter((scope) => scope === 'ping' || scopes.includes(scope))

/** The value is returned once and kept nowhere. */
export async function create(db: Database, { user_id, name, scopes, created_via, expires_at = null }: NewToken) {
  const token = newToken()
  const held = withPing(scopes)
  const row = await db.one<{ id: number; created_at: string }>(sql`
    insert into api_tokens (user_id, name, prefix, hash, scopes, created_via, expires_at)
    values (${user_id}, ${name}, ${token.slice(0, 8)}, ${hashOf(token)}, ${held}, ${created_via}, ${expires_at})
    returning id, created_at`)
  return { ...row!, token, prefix: token.slice(0, 8), scopes: held }
}

interface TokenRow {
  id: number
  user_id: number
  name: string
  prefix: string
  scopes: Scope[]
  created_via: TokenOrigin
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

/** Newest first; never the value, which nobody has but its owner. */
export const list = (db: Database, userId?: number): Promise<TokenRow[]> =>
  db.rows(sql`
    select id, user_id, name, prefix, scopes, created_via, expires_at, revoked_at, last_used_at, created_at from api_tokens
    where ${userId ?? null}::integer is null or user_id = ${userId ?? null}::integer order by created_at desc, id desc`)

/** Made by its owner, who is told by mail in the same transaction; with a token, one that may no more and lasts no longer. */
export function createByOwner(
  db: Database,
  { user_id, token_id, scopes: held }: Identity,
  { name, scopes, expires_at }: Pick<NewToken, 'name' | 'scopes'> & { expires_at: string | null },
  site: string,
) {
  const missing = scopes.find((scope) => !held.includes(scope))
  if (missing) throw insufficientScope(missing, held)
  const created_via = token_id === null ? 'web' : 'api'
  return db.transaction(async (db) => {
    await requireVerified(db, user_id)
    const made = await create(db, { user_id, name, scopes, created_via, expires_at: await noLater(db, token_id, expires_at) })
    await writeToUser(db, user_id, mailTemplates.tokenCreated(site, { ...made, name, created_via }))
    return { ...(await find(db, made.id)), token: made.token }
  })
}

const noLater = async (db: Database, tokenId: number | null, expires_at: string | null): Promise<string | null> => {
  const asking = await db.one<{ expires_at: string | null }>(sql`select expires_at from api_tokens where id = ${tokenId}`)
  const ends = [expires_at, asking?.expires_at ?? null].filter((at) => at !== null)
  return ends.sort()[0] ?? null
}

const find = async (db: Database, id: number): Promise<TokenRow> =>
  (await db.one<TokenRow>(sql`
    select id, user_id, name, prefix, scopes, created_via, expires_at, revoked_at, last_used_at, created_at from api_tokens
    where id = ${id}`))!

export async function revokeOwn(db: Database, userId: number, id: number) {
  const found = await db.one(sql`
    update api_tokens set revoked_at = coalesce(revoked_at, now()) where id = ${id} and user_id = ${userId} returning id`)
  if (!found) throw notFound('Token')
}

/** At once: the next request with it is refused. */
export const revoke = (db: Database, id: number) =>
  db.execute(sql`update api_tokens set revoked_at = now() where id = ${id} and revoked_at is null`)

/** Another value for the same token; the one before is refused with the very next request. */
export async function rotate(db: Database, id: number): Promise<string> {
  const token = newToken()
  await db.execute(sql`update api_tokens set prefix = ${token.slice(0, 8)}, hash = ${hashOf(token)} where id = ${id}`)
  return token
}

/** All that act for a user, and the codes that were to become one. Codes first: one that is exchanged right now becomes a token before. */
export async function revokeAll(db: Database, userId: number): Promise<number> {
  await db.execute(sql`delete from login_codes where user_id = ${userId} and used_at is null`)
  return db.execute(sql`update api_tokens set revoked_at = now() where user_id = ${userId} and revoked_at is null`)
}

export const describe = async (db: Database, id: number): Promise<ReplyOf<'ping'>> => {
  const row = await db.one<ReplyOf<'ping'>['token'] & { user_id: number; account_id: number | null }>(sql`
    select t.name, t.prefix, t.scopes, iso(t.expires_at) as expires_at, t.user_id,
      coalesce(u.default_account_id, (select min(account_id) from account_members where user_id = u.id)) as account_id
    from api_tokens t join users u on u.id = t.user_id where t.id = ${id}`)
  const { user_id, account_id, ...token } = row!
  return { ok: true, user_id, account_id, token }
}

/** Remembers when tokens were used and writes it down now and then, never once per request. */
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
