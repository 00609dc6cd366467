import { accessBlocked } from '../../contract/errors.ts'
import type { BlockedReason, Scope } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { hashOf, newScannableToken, Vault } from '../privacy/secrets.ts'
import { blockedEverywhere } from './blocked.ts'
import * as tokens from './tokens.ts'

/** A reply may be lost, and several windows of one assistant may refresh at once: for this long the same reply is returned again. */
const RETRY_SECONDS = 60
/** Refresh tokens remembered per login; a use of an older one is refused like an unknown one. */
const REMEMBERED = 100

const PLACE = 'refresh_tokens'

interface Login {
  token_id: number
  assistant_id: string
  expires_at: string
}

/** The refresh token of an assistant's login. Like a token, the value is returned once and not stored. */
export async function issue(db: Database, { token_id, assistant_id, expires_at }: Login): Promise<string> {
  const value = newScannableToken('refresh')
  await db.execute(sql`
    insert into refresh_tokens (hash, token_id, assistant_id, expires_at, created_at)
    values (${hashOf(value)}, ${token_id}, ${assistant_id}, ${expires_at}, clock_timestamp())`)
  return value
}

interface Renewal {
  token: string
  refresh_token: string
}

/**
 * Gives the same token a new value and issues a new refresh token; the login still expires at the same time. A second use of a refresh
 * token shows that it leaked, so the login ends. Undefined if the refresh is refused.
 */
export function exchange(db: Database, value: string, assistantId: string, address: string | null) {
  return db.transaction(async (db) => {
    const hash = hashOf(value)
    // Lock the token first: refreshes of one login wait here for each other and then read what the previous one wrote.
    const login = await db.one<Login & { scopes: Scope[]; blocked: BlockedReason | null }>(sql`
      select id as token_id, ${blockedEverywhere('asker')} as blocked, ${assistantId} as assistant_id, scopes, expires_at from api_tokens t
      cross join lateral (select t.user_id, t.account_id as only_account_id, ${address}::inet as address) asker
      where id = (select token_id from refresh_tokens where hash = ${hash} and assistant_id = ${assistantId})
        and revoked_at is null and expires_at > now()
      for update of t`)
    if (!login) return undefined
    if (login.blocked) throw accessBlocked(login.blocked)
    const past = await db.one<{ used: boolean; answer: string | null }>(sql`
      select used_at is not null as used,
        case when used_at > clock_timestamp() - make_interval(secs => ${RETRY_SECONDS}) then answer end as answer
      from refresh_tokens where hash = ${hash}`)
    const { scopes, expires_at } = login
    if (past?.answer) return { ...(JSON.parse(new Vault(value).open(past.answer, PLACE)) as Renewal), scopes, expires_at }
    if (!past || past.used) {
      await tokens.revoke(db, login.token_id)
      return undefined
    }
    return { ...(await renew(db, login, value)), scopes, expires_at }
  })
}

async function renew(db: Database, login: Login, value: string): Promise<Renewal> {
  const renewal = { token: await tokens.rotate(db, login.token_id), refresh_token: await issue(db, login) }
  // Once the successor is used, the previous one is no longer accepted as a retry.
  await db.execute(sql`update refresh_tokens set answer = null where token_id = ${login.token_id} and answer is not null`)
  await db.execute(sql`
    update refresh_tokens set used_at = clock_timestamp(), answer = ${new Vault(value).seal(JSON.stringify(renewal), PLACE)}
    where hash = ${hashOf(value)}`)
  await db.execute(sql`
    delete from refresh_tokens where hash in (
      select hash from refresh_tokens where token_id = ${login.token_id} order by created_at desc offset ${REMEMBERED})`)
  return renewal
}

/** Ends the login of a token or refresh token if it belongs to the assistant. */
export const revoke = (db: Database, value: string, assistantId: string) =>
  db.execute(sql`
    update api_tokens set revoked_at = now() where revoked_at is null and id in (
      select r.token_id from refresh_tokens r join api_tokens t on t.id = r.token_id
      where r.assistant_id = ${assistantId} and ${hashOf(value)} in (r.hash, t.hash))`)
