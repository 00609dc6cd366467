import type { Pool as Connections } from 'pg'
import { type FileStore, type ObjectStore, openDatabase, type Pool } from '../db/database.ts'

/** A node's connections, by purpose: waiting for a lock does not take a connection from anybody else. */
export interface Pools {
  /** Reads and writes of requests; transactions, which may wait for each other, have separate connections. */
  db: Pool
  /** Deliveries. */
  intake: Pool
  /** Jobs, unless another process runs them. */
  jobs: Pool | undefined
  /** All of them, for metrics. */
  connections: Record<string, Connections>
  close(): Promise<void>
}

interface PoolSizes {
  statements: number
  transactions: number
  intake: number
  jobs: number
}

/** Three nodes of one process and their processes for heavy bodies fit into PostgreSQL's default of a hundred connections. */
const ONE_PROCESS = 30
/** The same limit for a single node. */
const ONE_NODE = 90
const FEWEST = 2

export const defaultConnections = (workers: number) => Math.min(ONE_NODE, ONE_PROCESS + 20 * (workers - 1))

/**
 * The share of each process: a third for statements, a sixth each for transactions and intake; jobs, which one process runs, get the last
 * third.
 */
export function poolSizes(connections: number, workers: number): PoolSizes {
  const each = (share: number) => Math.max(FEWEST, Math.floor((connections * share) / workers))
  return {
    statements: each(1 / 3),
    transactions: each(1 / 6),
    intake: each(1 / 6),
    jobs: Math.max(FEWEST, Math.floor(connections / 3)),
  }
}

interface PoolsSettings {
  /** The pooler's URL for requests and deliveries; jobs need a session, which a pooler does not provide. */
  poolerUrl?: string
  /** The statement timeout of a request or a delivery in milliseconds. */
  statementTimeout: number
  onError: (error: Error) => void
  objects?: ObjectStore | undefined
  files?: FileStore | undefined
  sizes?: PoolSizes
  /** Another process runs the jobs. */
  withoutJobs?: boolean
}

export function openPools(url: string, { poolerUrl, sizes, withoutJobs = false, ...settings }: PoolsSettings): Pools {
  const max = sizes ?? poolSizes(ONE_PROCESS, 1)
  const openRequests = (max: number): Pool =>
    // A process for heavy bodies has its own connection, without the pooler.
    ({ ...openDatabase(poolerUrl ?? url, { ...settings, max, pooled: poolerUrl !== undefined }), url })
  const statements = openRequests(max.statements)
  const transactions = openRequests(max.transactions)
  const intake = openRequests(max.intake)
  const jobs = withoutJobs
    ? undefined
    : openDatabase(url, { onError: settings.onError, objects: settings.objects, files: settings.files, max: max.jobs })
  const db: Pool = {
    ...statements,
    transaction: transactions.transaction,
    close: async () => void (await Promise.all([statements.close(), transactions.close()])),
  }
  return {
    db,
    intake,
    jobs,
    connections: {
      statements: statements.pool,
      transactions: transactions.pool,
      intake: intake.pool,
      ...(jobs && { jobs: jobs.pool }),
    },
    close: async () => void (await Promise.all([db, intake, jobs].map((pool) => pool?.close()))),
  }
}
