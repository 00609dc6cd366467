import { createHash, randomBytes } from 'node:crypto'
import { invalidGrant } from '../contract/errors.ts'
import { SCOPES, type Scope, type TokenOrigin } from '../contract/sets.ts'
import { type Database, sql } from '../db/database.ts'
import * as letters from './letters.ts'
import { writeToUser } from './mails.ts'
import { hashOf } from './secrets.ts'
import * as tokens from './tokens.ts'

/** What a login may ever give; the list of members is for tokens made by hand. */
export const LOGIN_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'read:members')

const MINUTES = 5
const TOKEN_DAYS = 90
const NAME_MAX = 120

export interface Consent {
  user_id: number
  code_challenge: string
  client_name: string
  scopes: Scope[]
}

/** A code that is worth a token to whoever knows the verifier behind the challenge. */
export async function issue(db: Database, { user_id, code_challenge, client_name, scopes }: Consent): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  const granted = LOGIN_SCOPES.filter((scope) => scopes.length === 0 || scopes.includes(scope))
  await db.count(sql`
    insert into login_codes (hash, user_id, code_challenge, client_name, scopes, expires_at)
    values (${hashOf(code)}, ${user_id}, ${code_challenge}, ${client_name}, ${granted}, now() + make_interval(mins => ${MINUTES}))`)
  return code
}

export interface Exchange {
  code: string
  code_verifier: string
  device_name?: string
}

interface Code {
  user_id: number
  code_challenge: string
  client_name: string
  scopes: Scope[]
  alive: boolean
  used: boolean
  token_id: number | null
}

/** Once. Whoever comes second has shown that the code leaked, so the token of the first ends too. */
export async function exchange(db: Database, { code, code_verifier, device_name = '' }: Exchange, site: string) {
  const made = await db.transaction(async (db) => {
    const hash = hashOf(code)
    const found = await db.one<Code>(sql`
      select user_id, code_challenge, client_name, scopes, expires_at > now() as alive, used_at is not null as used, token_id
      from login_codes where hash = ${hash} for update`)
    if (found?.used) {
      if (found.token_id !== null) await tokens.revoke(db, found.token_id)
      return undefined
    }
    if (!found?.alive || challengeOf(code_verifier) !== found.code_challenge) return undefined
    const created_via = originOf(found.client_name)
    const expires_at = new Date(Date.now() + TOKEN_DAYS * 86_400_000).toISOString()
    const name = `${found.client_name} ${device_name.trim()}`.trim().slice(0, NAME_MAX).toWellFormed()
    const token = await tokens.create(db, { user_id: found.user_id, name, scopes: found.scopes, created_via, expires_at })
    await db.count(sql`update login_codes set used_at = now(), token_id = ${token.id} where hash = ${hash}`)
    await writeToUser(db, found.user_id, letters.tokenCreated(site, { ...token, name, created_via }))
    return { token: token.token, token_type: 'Bearer', scopes: token.scopes, created_at: token.created_at, expires_at }
  })
  if (!made) throw invalidGrant()
  return made
}

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** An assistant server says so in its name. */
const originOf = (clientName: string): TokenOrigin => (/\bmcp\b/i.test(clientName) ? 'mcp' : 'cli')
