import { Gauge, type Registry } from 'prom-client'
import { LEVELS } from '../../contract/app/operator.ts'
import type { Database } from '../../db/database.ts'
import type { Retention } from '../../domain/accounts/retention-days.ts'
import { AREAS, judged } from '../../domain/operations/areas.ts'
import { readStatus } from '../../domain/operations/status.ts'
import { backlogGauges } from './backlog-gauge.ts'
import { coalesce } from './coalesce.ts'

/** Counting reads the queues: at most this often. */
const FRESH_MS = 15_000

/** The status of the service, as on the operator's page: the same on every node. */
export function measureStatus(db: Database, retention: Retention, registers: Registry[]) {
  const slow = async () => ({ recorded: false, statements: [] })
  const read = coalesce(FRESH_MS, () => readStatus(db, { retention, slow }).catch(() => undefined))
  // Every process of a node has the same count.
  const shared = { aggregator: 'max', registers } as const
  new Gauge({
    ...shared,
    name: 'goldmaster_jobs',
    help: 'Jobs in the queue by kind and state; failed: after all attempts',
    labelNames: ['kind', 'state'],
    async collect() {
      const status = await read()
      if (!status) return
      this.reset()
      for (const { kind, state, count } of status.jobs) this.set({ kind, state }, count)
    },
  })
  new Gauge({
    ...shared,
    name: 'goldmaster_destinations',
    help: 'Chat channels and outbound webhooks by status',
    labelNames: ['kind', 'status'],
    async collect() {
      const status = await read()
      if (!status) return
      this.reset()
      for (const { kind, status: state, count } of status.destinations) this.set({ kind, status: state }, count)
    },
  })
  new Gauge({
    ...shared,
    name: 'goldmaster_table_bytes',
    help: 'Size of the largest tables with their indexes',
    labelNames: ['table'],
    async collect() {
      const status = await read()
      if (!status) return
      this.reset()
      for (const { table, bytes } of status.sizes.tables) this.set({ table }, bytes)
    },
  })
  new Gauge({
    ...shared,
    name: 'goldmaster_state',
    help: 'State of each area of the status page: 0 good, 1 needs attention, 2 needs action now',
    labelNames: ['area'],
    async collect() {
      const status = await read()
      if (status) for (const { name, level } of judged(status)) this.set({ area: name }, LEVELS.indexOf(level))
    },
  })
  for (const { metric, help, of } of AREAS.flatMap(({ figures }) => figures))
    backlogGauges(registers, async () => {
      const status = await read()
      return status && { value: of(status) ?? Number.NaN }
    })(metric, help, 'value')
}
