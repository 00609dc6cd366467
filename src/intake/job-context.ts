import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { AllowedHosts } from '../net/addresses.ts'
import { text } from './reading.ts'

/** What work may use that asks other people's servers. */
export interface JobContext {
  db: Database
  vault: Vault
  /** Private hosts that the operator allows to be asked. */
  allowed: AllowedHosts
  log: Logger
}

/**
 * Whom a job is for that asks the server of an integration, and which server that is. An account's servers are its own: what others
 * do to one of the same name changes nothing for it.
 */
export const asking = ({ account_id, config }: IntegrationContext) => {
  const server = text(config.server) ?? ''
  const origin = URL.canParse(server) && new URL(server).origin
  return {
    account_id,
    server: `${account_id} ${origin && origin !== 'null' ? origin : server.slice(0, 200)}`,
  }
}
