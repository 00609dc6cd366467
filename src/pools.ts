import type { Pool as Connections } from 'pg'
import { type ObjectStore, openDatabase, type Pool } from './db/database.ts'

/** A node's connections, by what they are for: whoever waits for a lock keeps nobody else from a connection. */
export interface Pools {
  /** What requests read and write; transactions, which may wait for each other, have connections of their own. */
  db: Pool
  /** What tools tell. */
  intake: Pool
  /** What is done later, unless another process does it. */
  jobs: Pool | undefined
  /** All of them, for whoever counts. */
  connections: Record<string, Connections>
  close(): Promise<void>
}

interface PoolSizes {
  statements: number
  transactions: number
  intake: number
  jobs: number
}

/** Three nodes of one process and their processes for heavy bodies fit into the hundred connections that PostgreSQL allows by default. */
const ONE_PROCESS = 30
/** As much as that allows one node. */
const ONE_NODE = 90
const FEWEST = 2

export const defaultConnections = (workers: number) => Math.min(ONE_NODE, ONE_PROCESS + 20 * (workers - 1))

/** What each of a node's processes has of its connections: a third for statements, a sixth for each of transactions and intake; jobs, which one process does, the last third. */
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
  /** Where requests and deliveries go instead; jobs need a session, which a pooler does not give. */
  poolerUrl?: string
  /** Milliseconds that a statement of a request or a delivery may take. */
  statementTimeout: number
  onError: (error: Error) => void
  objects?: ObjectStore | undefined
  sizes?: PoolSizes
  /** Jobs are done by another process. */
  withoutJobs?: boolean
}

export function openPools(url: string, { poolerUrl, sizes, withoutJobs = false, ...settings }: PoolsSettings): Pools {
  const max = sizes ?? poolSizes(ONE_PROCESS, 1)
  const openRequests = (max: number): Pool =>
    // A process for heavy bodies has a connection of its own, without the pooler.
    ({ ...openDatabase(poolerUrl ?? url, { ...settings, max, pooled: poolerUrl !== undefined }), url })
  const statements = openRequests(max.statements)
  const transactions = openRequests(max.transactions)
  const intake = openRequests(max.intake)
  const jobs = withoutJobs
    ? undefined
    : openDatabase(url, { onError: settings.onError, objects: settings.objects, max: max.jobs })
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
