import { Counter, type Registry } from 'prom-client'
import type { Database, ObjectStore } from '../../db/database.ts'
import { readBacklog } from '../../domain/retention/objects-due.ts'
import { backlogGauges } from './backlog-gauge.ts'
import { coalesce } from './coalesce.ts'

/** Counting what waits reads every account: at most this often. */
const FRESH_MS = 15_000

/** Requests to the object store, and what waits for it. */
export function measureObjects(db: Database, { counts }: ObjectStore, registers: Registry[]) {
  const backlog = coalesce(FRESH_MS, () => readBacklog(db).catch(() => undefined))
  new Counter({
    name: 'goldmaster_object_store_requests_total',
    help: 'Requests of this node to the object store, by method and outcome',
    labelNames: ['method', 'outcome'],
    registers,
    collect() {
      this.reset()
      for (const outcome of ['ok', 'failed'] as const)
        for (const [method, count] of Object.entries(counts[outcome])) this.inc({ method, outcome }, count)
    },
  })
  new Counter({
    name: 'goldmaster_object_store_sent_bytes_total',
    help: 'Compressed bytes that this node moved to the object store',
    registers,
    collect() {
      this.reset()
      this.inc(counts.bytesPut)
    },
  })
  const gauge = backlogGauges(registers, backlog)
  gauge(
    'goldmaster_object_store_lag_seconds',
    'Age of the oldest body or log that waits to be moved to the object store',
    'oldest',
  )
  gauge('goldmaster_object_store_unused', 'Objects waiting to be deleted from the object store', 'unused')
}
