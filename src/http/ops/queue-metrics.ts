import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../../db/database.ts'
import * as status from '../../domain/operations/status.ts'
import { backlogGauges } from './backlog-gauge.ts'
import { coalesce } from './coalesce.ts'

/** Counting reads the queues: this often, however many ask. */
const FRESH_MS = 15_000
/** Reading the sizes looks at every file of the database. */
const SIZES_FRESH_MS = 300_000

/** What waits to be done, and for how long: the same on every node, whichever is asked. */
export function measureQueues(db: Database, registers: Registry[]) {
  const countJobs = coalesce(FRESH_MS, () => status.countJobs(db).catch(() => []))
  const countDestinations = coalesce(FRESH_MS, () => status.countDestinations(db).catch(() => []))
  const readBacklog = coalesce(FRESH_MS, () => status.readBacklog(db).catch(() => undefined))
  const readSessions = coalesce(FRESH_MS, () => status.readSessions(db).catch(() => undefined))
  const readSizes = coalesce(SIZES_FRESH_MS, () => status.readSizes(db).catch(() => undefined))
  new Gauge({
    name: 'goldmaster_jobs',
    help: 'Jobs in the queue by kind and state; failed ones have used up their attempts',
    labelNames: ['kind', 'state'],
    // Every process of a node counts the same.
    aggregator: 'max',
    registers,
    async collect() {
      const counted = await countJobs()
      this.reset()
      for (const { kind, state, count } of counted) this.set({ kind, state }, count)
    },
  })
  new Gauge({
    name: 'goldmaster_destinations',
    help: 'Chat channels and outbound webhooks by status',
    labelNames: ['kind', 'status'],
    aggregator: 'max',
    registers,
    async collect() {
      const counted = await countDestinations()
      this.reset()
      for (const { kind, status, count } of counted) this.set({ kind, status }, count)
    },
  })
  new Gauge({
    name: 'goldmaster_table_bytes',
    help: 'Size of the largest tables with their indexes',
    labelNames: ['table'],
    aggregator: 'max',
    registers,
    async collect() {
      const sizes = await readSizes()
      if (!sizes) return
      this.reset()
      for (const { table, bytes } of sizes.tables) this.set({ table }, bytes)
    },
  })
  backlogGauges(registers, async () => {
    const sizes = await readSizes()
    return sizes && { bytes: sizes.bytes }
  })('goldmaster_database_bytes', 'Size of the database', 'bytes')
  const sessions = backlogGauges(registers, readSessions)
  sessions('goldmaster_nodes', 'Machines with connections of the service', 'nodes')
  sessions('goldmaster_longest_statement_seconds', 'For how long the longest statement has been running', 'longest_statement')
  const gauge = backlogGauges(registers, readBacklog)
  gauge('goldmaster_silent_servers', 'Servers that do not answer and are left alone for now', 'silent_servers')
  gauge('goldmaster_job_oldest_seconds', 'For how long the job that is due longest has been due', 'oldest_job')
  gauge('goldmaster_outbox_lag_seconds', 'Age of the oldest event that has no place in the order yet', 'outbox')
  gauge('goldmaster_outbound_lag_seconds', 'Age of the oldest message that an active outbound webhook has not got', 'outbound')
  gauge('goldmaster_mails_unsent', 'Mails that were not sent; all of them where no mail server is configured', 'mails')
}
