import { RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { together, turnOf } from '../accounts/isolation.ts'
import { PASSED_OR_FAILED, RUNNING } from '../branches/build-statuses.ts'

/** The sender of a log sends a heartbeat every minute, even if the build prints nothing. */
const STREAM_SILENCE = raw(`interval '15 minutes'`)
/** Other builds may be silent between start and end: three times as long as the job usually takes, but never less than this. */
const LEAST_SILENCE = raw(`interval '1 hour'`)
/** Queues may be long, and the duration of a new job is unknown. */
const UNKNOWN_SILENCE = raw(`interval '1 day'`)
/** How many of a job's last builds determine its usual duration. */
const USUAL_OF = 20

/** When the running build `r` with the log stream `s` last reported. */
const heardAt = sql`greatest(s.received_at, r.heard_at)`

/** Something reported on a build. One that counted as lost runs again as soon as its mark is cleared. */
export const heard = ({ account_id, id }: RecordKey): Sql => sql`
  update running_builds set heard_at = goldmaster_now() where account_id = ${account_id} and build_run_id = ${id}`

/** The usual duration of the build `b` in seconds: the median of its job's last builds, on all platforms if it doesn't say yet for which it is. */
const usualSeconds = sql`(
  select percentile_cont(0.5) within group (order by o.duration_seconds) from (
    select o.duration_seconds from build_runs o
    where o.account_id = b.account_id and o.project_id = b.project_id and o.ci_job_name = b.ci_job_name and b.job in (o.job, b.ci_job_name)
      and o.status in ${PASSED_OR_FAILED} and o.duration_seconds is not null
    order by o.created_at desc, o.id desc limit ${USUAL_OF}) o)`

const patience = sql`case when s.received_at is not null then ${STREAM_SILENCE}
  when b.status = 'queued' then ${UNKNOWN_SILENCE}
  else greatest(${LEAST_SILENCE}, coalesce(3 * make_interval(secs => ${usualSeconds}), ${UNKNOWN_SILENCE})) end`

/**
 * Marks builds that have been silent for too long. Their status stays as the CI reported it; any report or piece of log clears the mark.
 */
export async function markLost(db: Database) {
  const silent = await db.rows<RecordKey>(sql`
    select b.account_id, b.id from running_builds r join build_runs b on b.account_id = r.account_id and b.id = r.build_run_id
    left join build_log_streams s on s.account_id = b.account_id and s.build_run_id = b.id and not s.closed
    where r.heard_at < goldmaster_now() - ${STREAM_SILENCE} and ${heardAt} < goldmaster_now() - ${patience}`)
  const turn = await turnOf(
    db,
    'mark_lost_builds',
    silent.map(({ account_id }) => account_id),
  )
  await together(db, 'mark_lost_builds', turn, (accounts) => {
    const lost = silent.filter(({ account_id }) => accounts.includes(account_id))
    // One may have reported meanwhile, which changes its row.
    return db.execute(sql`
      update build_runs b set lost_at = goldmaster_now()
      where b.lost_at is null and b.status in ${RUNNING} and b.updated_at < goldmaster_now() - ${STREAM_SILENCE}
        and b.account_id = any (${accounts}::integer[]) and b.id = any (${lost.map(({ id }) => id)}::bigint[])`)
  })
}

/** The build reported again. */
export const clearLost = (db: Database, { account_id, id }: RecordKey): Promise<number> =>
  db.execute(sql`update build_runs set lost_at = null where account_id = ${account_id} and id = ${id} and lost_at is not null`)

/** Since when the build `b` is silent, if it is running, streams its log and has been silent for ten minutes. */
export const silentSince = sql`(
  select iso(${heardAt}) from build_log_streams s
  left join running_builds r on r.account_id = s.account_id and r.build_run_id = s.build_run_id
  where s.account_id = b.account_id and s.build_run_id = b.id and not s.closed and b.status = any(${[...RUNNING_STATUSES]})
    and ${heardAt} < goldmaster_now() - interval '10 minutes')`
