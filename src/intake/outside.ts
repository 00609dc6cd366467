import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Vault } from '../domain/secrets.ts'
import type { AllowedHosts } from './reach-addresses.ts'

/** What work may use that asks other people's servers. */
export interface Outside {
  db: Database
  vault: Vault
  /** Private hosts that the operator allows to be asked. */
  allowed: AllowedHosts
  log: Logger
  /** The Perforce command line client; `p4` of the path unless somebody knows better. */
  p4?: string
}
