import type { Pool as Connections } from 'pg'
import type { Logger } from 'pino'
import type { Pool } from '../db/database.ts'
import type { Cursors } from '../db/page.ts'
import type { Replica } from '../db/replica.ts'
import type { BreachedPasswords } from '../domain/access/breached-passwords.ts'
import type { LastUsed } from '../domain/access/tokens.ts'
import type { Quotas } from '../domain/accounts/quotas.ts'
import type { Retention } from '../domain/accounts/retention-days.ts'
import type { Rollups } from '../domain/feed/rollups.ts'
import type { IntakeQuota } from '../domain/integrations/intake-usage.ts'
import type { RefusedRequests } from '../domain/operations/refused-requests.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { SignUpPolicy } from '../domain/sign-in/sign-ups.ts'
import type { AllowedHosts } from '../net/addresses.ts'
import type { AccountShare } from './limits/account-share.ts'
import type { Limits } from './limits/limits.ts'
import type { TokenStreams } from './limits/token-streams.ts'

/** What a running service holds; made once by `main`, handed to whoever needs it. */
export interface Service {
  db: Pool
  /** For what tools tell: deliveries that wait for each other keep nobody else waiting. */
  intake: Pool
  /** All connections of this node by what they are for. */
  connections: Record<string, Connections>
  /** Where lists and the feed are read, if there is one. */
  replica?: Replica
  /** Where people and links find the service, without a slash at the end. */
  site: string
  cursors: Cursors
  vault: Vault
  limits: Limits
  refusedRequests: RefusedRequests
  share: AccountShare
  tokenStreams: TokenStreams
  lastUsed: LastUsed
  rollups: Rollups
  intakeQuota: IntakeQuota
  /** What an account may use unless something else was set for it. */
  quotas: Quotas
  log: Logger
  /** Signs the cookies of sessions. */
  cookieKey: string
  /** Signed them before a change of keys; whoever comes with such a cookie stays signed in. */
  formerCookieKey?: string
  signUp: SignUpPolicy
  /** Printed at the start and needed by the first user, so that nobody who merely reaches the port owns the service. */
  setUpToken: string
  /** How long a session lasts without being used. */
  sessionSeconds: number
  /** The list that new passwords are checked against. */
  breachedPasswords: BreachedPasswords
  /** Whether accounts made here have a trial and a count of credits. */
  metering: boolean
  /** Whether mails leave, or are only kept. */
  mailing: boolean
  /** For how many days what is kept; null for good. */
  retention: Retention
  /** Private hosts that may be asked all the same. */
  allowedHosts: AllowedHosts
  /** Whom to tell of a weakness: an address as a link. */
  securityContact?: string
  /** Proxies whose word about the caller's address is taken. */
  trustProxy: string[]
  /** Sites whose pages may ask the API. */
  corsOrigins: readonly string[]
}
