import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import type { AllowedHosts } from '../net/addresses.ts'

/** Resources of jobs that call external servers. */
export interface JobContext {
  db: Database
  vault: Vault
  /** Private hosts that the operator allows. */
  allowed: AllowedHosts
  log: Logger
}
