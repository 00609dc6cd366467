import type { DeliveryOutcome, ProviderName } from '../../contract/sets.ts'
import { type Database, empty, ofAccount, type Sql, sql } from '../../db/database.ts'
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
export async function health(db: Database, projectId?: number): Promise<Health[]> {
  if (!(await db.isDistributed())) return db.rows<Health>(healthOf(sql`select integration_id from (${failingRows}) f`, projectId))
  // On several servers account by account: tools are on every server, their deliveries on one.
  const accounts = await db.rows<{ account_id: number }>(
    sql`select distinct i.account_id from integrations i where ${isShown(projectId)}`,
  )
  const failing = await failingRowsOfEach(db)
  const all: Health[] = []
  for (const { account_id } of accounts) {
    const ids = failing.flatMap((job) =>
      job.account_id === account_id && job.integration_id !== null ? [job.integration_id] : [],
    )
    const rows = healthOf(
      sql`select unnest(${ids}::integer[]) as integration_id`,
      projectId,
      sql`and i.account_id = ${account_id}`,
    )
    all.push(...(await ofAccount(db, account_id).rows<Health>(rows)))
  }
  return all.sort((a, b) => a.integration_id - b.integration_id)
}

const isShown = (projectId: number | undefined): Sql =>
  sql`i.deleted_at is null ${when(projectId, (id) => sql`and i.project_id = ${id}`)}`

/** `failing`: the integration of each failing job. */
const healthOf = (failing: Sql, projectId: number | undefined, more = empty): Sql => sql`
    with stuck as (select integration_id, count(*) as jobs from (${failing}) f group by 1)
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
    where ${isShown(projectId)} ${more}
    order by i.id`

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

interface FailingRow extends FailingJob {
  id: number
  /** The account of its subject, if it has one. */
  account_id: number | null
}

const OF_ACCOUNT = sql`(j.payload ->> 'account_id')::integer`

const failingRows = sql`
  select j.kind, coalesce(d.integration_id, c.integration_id, b.integration_id) as integration_id, j.payload, j.attempts,
    j.given_up, j.next_try_at, j.error, j.id
  from (${queue.failingJobs}) j
  left join deliveries d on d.account_id = ${OF_ACCOUNT} and d.id = (j.payload ->> 'delivery_id')::bigint
  left join changes c on c.account_id = ${OF_ACCOUNT} and c.id = (j.payload ->> 'change_id')::bigint
  left join build_runs b on b.account_id = ${OF_ACCOUNT} and b.id = (j.payload ->> 'build_run_id')::bigint`

/** On several servers: the jobs, which are on the coordinator, and then the integrations of each account. */
async function failingRowsOfEach(db: Database): Promise<FailingRow[]> {
  const jobs = await db.rows<FailingRow>(sql`
    select j.*, ${OF_ACCOUNT} as account_id, null::integer as integration_id from (${queue.failingJobs}) j`)
  for (const account_id of new Set(jobs.map((job) => job.account_id))) {
    if (account_id === null) continue
    const of = jobs.filter((job) => job.account_id === account_id)
    const found = await ofAccount(db, account_id).rows<{ place: number; integration_id: number | null }>(sql`
      select j.place, coalesce(d.integration_id, c.integration_id, b.integration_id) as integration_id
      from jsonb_array_elements(${JSON.stringify(of.map(({ payload }) => payload))}::jsonb) with ordinality j (payload, place)
      left join deliveries d on d.account_id = ${account_id} and d.id = (j.payload ->> 'delivery_id')::bigint
      left join changes c on c.account_id = ${account_id} and c.id = (j.payload ->> 'change_id')::bigint
      left join build_runs b on b.account_id = ${account_id} and b.id = (j.payload ->> 'build_run_id')::bigint`)
    for (const { place, integration_id } of found) of[place - 1]!.integration_id = integration_id
  }
  return jobs
}

/** Jobs that are not done, with the reason. */
export async function failingJobs(db: Database): Promise<FailingJob[]> {
  const rows = (await db.isDistributed())
    ? (await failingRowsOfEach(db)).sort((a, b) => b.id - a.id).slice(0, 100)
    : await db.rows<Omit<FailingRow, 'account_id'>>(sql`select f.* from (${failingRows}) f order by f.id desc limit 100`)
  return rows.map(({ kind, integration_id, payload, attempts, given_up, next_try_at, error }) => ({
    kind,
    integration_id,
    payload,
    attempts,
    given_up,
    next_try_at,
    error: scrub(error.split('\n', 1)[0]!).slice(0, 500),
  }))
}
