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

/** With the wait for a connection, every request is answered within ten seconds, whatever becomes of the database. */
export const STATEMENT_MS = 5_000

interface PoolsSettings {
  /** Where requests and deliveries go instead; jobs need a session, which a pooler does not give. */
  poolerUrl?: string
  /** Milliseconds that a statement of a request or a delivery may take. */
  statementTimeout: number
  onError: (error: Error) => void
}

export function openPools(url: string, { poolerUrl, ...settings }: PoolsSettings): Pools {
  const openRequests = (max: number): Pool =>
    // A process for heavy bodies has a connection of its own, without the pooler.
    ({ ...openDatabase(poolerUrl ?? url, { ...settings, max, pooled: poolerUrl !== undefined }), url })
  const statements = openRequests(STATEMENTS)
  const transactions = openRequests(TRANSACTIONS)
  const intake = openRequests(INTAKE)
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
