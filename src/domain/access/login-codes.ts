import { createHash, randomBytes } from 'node:crypto'
import { GRANTABLE_SCOPES, LOGIN_DAYS, LOGIN_SCOPES, type Scope, type TokenOrigin } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { requireVerified } from '../accounts/users.ts'
import { accountsOf, record } from '../audit/audit-log.ts'
import * as mailTemplates from '../mail/mail-templates.ts'
import { writeToUser } from '../mail/mails.ts'
import { hashOf } from '../privacy/secrets.ts'
import * as refreshTokens from './refresh-tokens.ts'
import * as tokens from './tokens.ts'

const MINUTES = 5
const NAME_MAX = 120

interface Consent {
  user_id: number
  code_challenge: string
  client_name: string
  scopes: readonly Scope[]
  /** Absent for the CLI. */
  assistant?: CodeRecipient
}

/** The assistant that waits for a code, and its redirect URI. */
interface CodeRecipient {
  id: string
  redirect_uri: string
}

/** A code that can be exchanged for a token by the client that knows the verifier of the challenge. */
export async function issue(db: Database, { user_id, code_challenge, client_name, scopes, assistant }: Consent): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await requireVerified(db, user_id)
  const granted = scopes.length === 0 ? LOGIN_SCOPES : GRANTABLE_SCOPES.filter((scope) => scopes.includes(scope))
  await db.execute(sql`
    insert into oauth_codes (hash, user_id, code_challenge, client_name, scopes, assistant_id, redirect_uri, expires_at)
    values (${hashOf(code)}, ${user_id}, ${code_challenge}, ${client_name}, ${granted}, ${assistant?.id ?? null},
      ${assistant?.redirect_uri ?? null}, now() + make_interval(mins => ${MINUTES}))`)
  return code
}

export interface Exchange {
  /** The address of the request. */
  ip_address: string
  code: string
  code_verifier: string
  device_name?: string
  /** The requesting assistant; a code that was issued for it is refused to everybody else. */
  assistant?: { id: string; redirect_uri?: string | undefined }
}

interface Grant {
  token: string
  /** Only for an assistant. */
  refresh_token?: string
  scopes: Scope[]
  created_at: string
  expires_at: string
}

interface Code {
  user_id: number
  code_challenge: string
  client_name: string
  scopes: Scope[]
  assistant_id: string | null
  redirect_uri: string | null
  alive: boolean
  used: boolean
  token_id: number | null
}

/**
 * Works once. A second exchange shows that the code leaked, so the token of the first is revoked too. Undefined if the exchange is refused.
 */
export function exchange(db: Database, asked: Exchange, site: string): Promise<Grant | undefined> {
  return db.transaction(async (db) => {
    const hash = hashOf(asked.code)
    const found = await db.one<Code>(sql`
      select user_id, code_challenge, client_name, scopes, assistant_id, redirect_uri, expires_at > now() as alive,
        used_at is not null as used, token_id
      from oauth_codes where hash = ${hash} for update`)
    if (found?.used) {
      if (found.token_id !== null) await tokens.revoke(db, found.token_id)
      return undefined
    }
    if (!found?.alive || !isFor(found, asked)) return undefined
    const created_via = originOf(found)
    const expires_at = new Date(Date.now() + LOGIN_DAYS * 86_400_000).toISOString()
    const name = `${found.client_name} ${asked.device_name?.trim() ?? ''}`.trim().slice(0, NAME_MAX).toWellFormed()
    const token = await tokens.create(db, { user_id: found.user_id, name, scopes: found.scopes, created_via, expires_at })
    await db.execute(sql`update oauth_codes set used_at = now(), token_id = ${token.id} where hash = ${hash}`)
    await record(db, accountsOf(found.user_id), {
      actor: 'user',
      user_id: found.user_id,
      ip_address: asked.ip_address,
      action: 'exchangeLoginCode',
      subject: `token/${token.id}`,
      after: { prefix: token.prefix, scopes: token.scopes, created_via, expires_at },
    })
    await writeToUser(db, found.user_id, mailTemplates.tokenCreated(site, { ...token, name, created_via }))
    const grant = { token: token.token, scopes: token.scopes, created_at: token.created_at, expires_at }
    if (found.assistant_id === null) return grant
    const login = { token_id: token.id, assistant_id: found.assistant_id, expires_at }
    return { ...grant, refresh_token: await refreshTokens.issue(db, login) }
  })
}

/** As in RFC 7636: a shorter one could be guessed. */
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/

const isFor = (code: Code, { code_verifier, assistant }: Exchange) =>
  VERIFIER.test(code_verifier) &&
  challengeOf(code_verifier) === code.code_challenge &&
  (assistant?.id ?? null) === code.assistant_id &&
  (assistant?.redirect_uri ?? code.redirect_uri) === code.redirect_uri

const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** An MCP server on the person's own machine logs in like the CLI and is recognized by its name. */
const originOf = ({ assistant_id, client_name }: Code): TokenOrigin =>
  assistant_id !== null || /\bmcp\b/i.test(client_name) ? 'mcp' : 'cli'
