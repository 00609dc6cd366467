import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { AllowedHosts } from '../net/addresses.ts'
import { text } from './reading.ts'

/** Resources of jobs that call external servers. */
export interface JobContext {
  db: Database
  vault: Vault
  /** Private hosts that the operator allows. */
  allowed: AllowedHosts
  log: Logger
}

/**
 * The account and server of a job that calls an integration's server. Servers are counted per account: another account's use of the same
 * host does not affect it.
 */
export const asking = ({ account_id, config }: IntegrationContext) => {
  const server = text(config.server) ?? ''
  const origin = URL.canParse(server) && new URL(server).origin
  return {
    account_id,
    server: `${account_id} ${origin && origin !== 'null' ? origin : server.slice(0, 200)}`,
  }
}
