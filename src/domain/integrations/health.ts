import type { DeliveryOutcome, ProviderName } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import * as queue from '../../db/queue.ts'
import { scrub } from '../privacy/scrub.ts'

interface Health {
  integration_id: number
  project_id: number
  provider: ProviderName
  active: boolean
  last_delivery_at: string | null
  last_outcome: DeliveryOutcome | null
  /** Of the last 24 hours. */
  deliveries: number
  failed: number
  error_rate: number
  /** Jobs that failed at least once and are not done. */
  failing_jobs: number
}

/** When each tool last sent something, and how much of it failed; without our own test deliveries. */
export const health = (db: Database, projectId?: number): Promise<Health[]> =>
  db.rows<Health>(sql`
    with stuck as (select integration_id, count(*) as jobs from (${failingRows}) f group by 1)
    select i.id as integration_id, i.project_id, i.provider, i.active, last.received_at as last_delivery_at, last.outcome as last_outcome,
      day.deliveries, day.failed,
      coalesce(round(day.failed::numeric / nullif(day.deliveries, 0), 3), 0)::float8 as error_rate, coalesce(stuck.jobs, 0) as failing_jobs
    from integrations i
    left join stuck on stuck.integration_id = i.id
    cross join lateral (
      select count(*) as deliveries, count(*) filter (where d.outcome = 'failed') as failed
      from deliveries d where d.account_id = i.account_id and d.integration_id = i.id and d.received_at >= now() - interval '1 day' and not d.test) day
    left join lateral (
      -- between instead of =: only the index by integration has that order. The one by id alone looks cheap but reads every delivery for a
      -- tool that never sent one.
      select d.received_at, d.outcome from deliveries d
      where d.account_id = i.account_id and d.integration_id between i.id and i.id and not d.test
      order by d.integration_id, d.id desc limit 1) last on true
    where i.deleted_at is null ${when(projectId, (id) => sql`and i.project_id = ${id}`)}
    order by i.id`)

interface FailingJob {
  kind: string
  integration_id: number | null
  /** Its subject: delivery_id, change_id or build_run_id. */
  payload: Record<string, number>
  attempts: number
  /** It is not retried any more. */
  given_up: boolean
  next_try_at: string
  error: string
}

const failingRows = sql`
  select j.kind, coalesce(d.integration_id, c.integration_id, b.integration_id) as integration_id, j.payload, j.attempts,
    j.given_up, j.next_try_at, j.error, j.id
  from (${queue.failingJobs}) j
  left join deliveries d on d.account_id = (j.payload ->> 'account_id')::integer and d.id = (j.payload ->> 'delivery_id')::bigint
  left join changes c on c.account_id = (j.payload ->> 'account_id')::integer and c.id = (j.payload ->> 'change_id')::bigint
  left join build_runs b on b.account_id = (j.payload ->> 'account_id')::integer and b.id = (j.payload ->> 'build_run_id')::bigint`

/** Jobs that are not done, with the reason. */
export async function failingJobs(db: Database): Promise<FailingJob[]> {
  const rows = await db.rows<FailingJob & { id: number }>(sql`
    select f.* from (${failingRows}) f order by f.id desc limit 100`)
  return rows.map(({ id, error, ...job }) => ({ ...job, error: scrub(error.split('\n', 1)[0]!).slice(0, 500) }))
}
