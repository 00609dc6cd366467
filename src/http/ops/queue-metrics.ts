import { Gauge, type Registry } from 'prom-client'
import { type Database, sql } from '../../db/database.ts'
import { backlogGauges } from './backlog-gauge.ts'
import { coalesce } from './coalesce.ts'

/** Counting reads the queues: this often, however many ask. */
const FRESH_MS = 15_000
/** A longer queue is counted up to here. */
const COUNT_MAX = 100_000

interface JobCount {
  kind: string
  state: string
  count: number
}

interface Backlog {
  oldest_job: number
  outbox: number
  outbound: number
  mails: number
}

/** What waits to be done, and for how long: the same on every node, whichever is asked. */
export function measureQueues(db: Database, registers: Registry[]) {
  const countJobs = coalesce(FRESH_MS, () => db.rows<JobCount>(JOBS).catch((): JobCount[] => []))
  const readBacklog = coalesce(FRESH_MS, () => db.one<Backlog>(BACKLOG).catch(() => undefined))
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
  const gauge = backlogGauges(registers, readBacklog)
  gauge('goldmaster_job_oldest_seconds', 'For how long the job that is due longest has been due', 'oldest_job')
  gauge('goldmaster_outbox_lag_seconds', 'Age of the oldest event that has no place in the order yet', 'outbox')
  gauge('goldmaster_outbound_lag_seconds', 'Age of the oldest message that an active outbound webhook has not got', 'outbound')
  gauge('goldmaster_mails_unsent', 'Mails that were not sent; all of them where no mail server is configured', 'mails')
}

const JOBS = sql`
  select task_identifier as kind, count(*) as count,
    case when locked_at is not null then 'running' when attempts >= max_attempts then 'failed'
      when attempts > 0 then 'retrying' when run_at > now() then 'scheduled' else 'waiting' end as state
  from (select * from graphile_worker.jobs limit ${COUNT_MAX}) jobs group by 1, 3`

const age = (time: ReturnType<typeof sql>) => sql`coalesce(greatest(0, extract(epoch from now() - ${time})), 0)::float8`

const BACKLOG = sql`
  select
    (select ${age(sql`min(run_at)`)} from (
      select run_at from graphile_worker._private_jobs where is_available and run_at <= now() and attempts < max_attempts
      limit ${COUNT_MAX}) due) as oldest_job,
    (select ${age(sql`min(written_at)`)} from (select written_at from outbox where position is null order by id limit 1) unplaced) as outbox,
    (select ${age(sql`min(waiting.created_at)`)} from subscriptions s cross join lateral (
      select created_at from outgoing where subscription_id = s.id and status = 'waiting' order by turn limit 1) waiting
      where s.status = 'active') as outbound,
    (select count(*) from (select from mails where sent_at is null limit ${COUNT_MAX}) unsent) as mails`
