import type { Pool as Connections } from 'pg'
import { openDatabase, type Pool } from './db/database.ts'

/** A node's connections, by what they are for: whoever waits for a lock keeps nobody else from a connection. */
export interface Pools {
  /** What requests read and write; transactions, which may wait for each other, have connections of their own. */
  db: Pool
  /** What tools tell. */
  intake: Pool
  /** What is done later. */
  jobs: Pool
  /** All of them, for whoever counts. */
  connections: Record<string, Connections>
  close(): Promise<void>
}

/** Three nodes and their threads for heavy bodies fit into the hundred connections that PostgreSQL allows by default. */
const STATEMENTS = 10
const TRANSACTIONS = 5
const INTAKE = 5
const JOBS = 10

interface PoolsSettings {
  /** Milliseconds that a statement of a request or a delivery may take. */
  statementTimeout: number
  onError: (error: Error) => void
}

export function openPools(url: string, settings: PoolsSettings): Pools {
  const statements = openDatabase(url, { ...settings, max: STATEMENTS })
  const transactions = openDatabase(url, { ...settings, max: TRANSACTIONS })
  const intake = openDatabase(url, { ...settings, max: INTAKE })
  const jobs = openDatabase(url, { onError: settings.onError, max: JOBS })
  const db: Pool = {
    ...statements,
    transaction: transactions.transaction,
    close: async () => void (await Promise.all([statements.close(), transactions.close()])),
  }
  return {
    db,
    intake,
    jobs,
    connections: { statements: statements.pool, transactions: transactions.pool, intake: intake.pool, jobs: jobs.pool },
    close: async () => void (await Promise.all([db, intake, jobs].map((pool) => pool.close()))),
  }
}
