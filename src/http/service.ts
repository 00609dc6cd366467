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

/** The parts of a running service; created once by `main` and passed on. */
export interface Service {
  db: Pool
  /** For deliveries: waiting deliveries don't block other requests. */
  intake: Pool
  /** All connection pools of this node by purpose. */
  connections: Record<string, Connections>
  /** The replica for lists and the feed, if there is one. */
  replica?: Replica
  /** The public URL of the service, without a trailing slash. */
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
  /** The default quotas of an account. */
  quotas: Quotas
  log: Logger
  /** Signs the cookies of sessions. */
  cookieKey: string
  /** The former key after a rotation; sessions with such a cookie stay signed in. */
  formerCookieKey?: string
  signUp: SignUpPolicy
  /** Printed at the start and needed by the first user, so that nobody who merely reaches the port can take over the service. */
  setUpToken: string
  /** How long a session lasts without use. */
  sessionSeconds: number
  /** The list that new passwords are checked against. */
  breachedPasswords: BreachedPasswords
  /** Whether new accounts have a trial and limited credits. */
  metering: boolean
  /** Whether emails are sent, or only stored. */
  mailing: boolean
  /** Retention in days by kind; null: forever. */
  retention: Retention
  /** Private hosts that may be called anyway. */
  allowedHosts: AllowedHosts
  /** Instead of Slack's own. */
  slackApi?: string
  /** The contact for vulnerability reports: a URL. */
  securityContact?: string
  /** Proxies whose forwarded client address is trusted. */
  trustProxy: string[]
  /** Sites whose pages may call the API. */
  corsOrigins: readonly string[]
}
