import { type Database, type Pool, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { BRANCH } from '../branches/positions.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { end } from './bisection/bisections.ts'
import { note, recordEvent } from './history.ts'
import { JOB } from './label.ts'
import { recompute } from './recompute.ts'

interface Moved {
  id: number
  occurrence: number
  /** The branch of all its builds. */
  branch: string
  /** For a breakage of which only the job is known: of the job of all its builds. */
  fingerprint: string
}

/** Builds of this time may turn out to be of another branch: see `inferLatestBranches`. */
const RECENT = sql`interval '2 days'`

/** Breakages and alerts follow their builds, which turned out to be of another branch or platform than was told at first. */
export async function rehome(db: Pool, { account_id, project_id }: ProjectKey) {
  await rehomeAlerts(db, { account_id, project_id })
  const moved = await db.rows<Moved>(sql`
    select k.id, k.occurrence, to_.branch, to_.fingerprint from breakages k, lateral (
      select min(${BRANCH}) as branch, count(distinct ${BRANCH}) as branches, min(b.job) filter (where not m.downstream) as job,
        count(distinct b.job) filter (where not m.downstream) as jobs
      from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
      where m.account_id = k.account_id and m.breakage_id = k.id) of, lateral (
      select case when of.branches = 1 and of.branch <> '' then of.branch else k.branch end as branch,
        case when of.jobs = 1 and k.fingerprint like ${`${JOB}%`} then ${JOB} || of.job else k.fingerprint end as fingerprint) to_
    where k.account_id = ${account_id} and k.project_id = ${project_id} and k.branch is not null
      and k.last_seen_at > goldmaster_now() - ${RECENT} and (to_.branch, to_.fingerprint) <> (k.branch, k.fingerprint)
    order by k.id`)
  for (const { id, occurrence, branch, fingerprint } of moved)
    await db.transaction(async (db) => {
      await lockBreakages(db, project_id)
      const there = await db.one<{ id: number }>(sql`
        select o.id from breakages k join breakages o on o.account_id = k.account_id and o.project_id = k.project_id
          and o.fingerprint = ${fingerprint} and o.branch = ${branch} and o.state <> 'withdrawn'
        where k.account_id = ${account_id} and k.id = ${id} order by o.id desc limit 1`)
      if (there) {
        await db.execute(sql`
          update breakage_builds set breakage_id = ${there.id}, occurrence = null where account_id = ${account_id} and breakage_id = ${id}`)
        await recompute(db, { account_id, id: there.id })
        return recompute(db, { account_id, id }, there.id)
      }
      await db.execute(sql`
        update breakages set branch = ${branch}, fingerprint = ${fingerprint}, updated_at = now() where account_id = ${account_id} and id = ${id}`)
      await endSearch(db, { account_id, id })
      await recompute(db, { account_id, id })
      await recordEvent(db, 'breakage.revised', { account_id, id }, { occurrence })
    })
}

/** One alert is open at a time for a budget on a branch: of two that meet, or if one is open there already, the other goes. */
const rehomeAlerts = (db: Database, { account_id, project_id }: ProjectKey) =>
  db.execute(sql`
    with moved as (
      select a.id, ${BRANCH} as branch, row_number() over (
          partition by a.kind, a.measure, a.platform, a.configuration, a.job, ${BRANCH}, a.budget order by a.id) as place,
        exists (
          select from measure_alerts o where o.account_id = a.account_id and o.project_id = a.project_id and o.state = 'open'
            and (o.kind, o.measure, o.platform, o.configuration, o.job, o.branch, o.budget)
              = (a.kind, a.measure, a.platform, a.configuration, a.job, ${BRANCH}, a.budget)) as is_there
      from measure_alerts a join build_runs b on b.account_id = a.account_id and b.id = a.build_run_id
      where a.account_id = ${account_id} and a.project_id = ${project_id} and a.state = 'open' and ${BRANCH} not in ('', a.branch)),
    gone as (
      delete from measure_alerts a using moved m where a.account_id = ${account_id} and a.id = m.id and (m.place > 1 or m.is_there))
    update measure_alerts a set branch = m.branch from moved m
    where a.account_id = ${account_id} and a.id = m.id and m.place = 1 and not m.is_there`)

/** Its changes were those of another branch. */
async function endSearch(db: Database, { account_id, id }: RecordKey) {
  const running = await db.one<RecordKey>(sql`
    select account_id, id from bisections where account_id = ${account_id} and breakage_id = ${id} and status = 'running' for update`)
  if (!running) return
  const reason = 'The builds turned out to be of another branch.'
  await end(db, running, { status: 'cancelled', reason })
  await note(db, { account_id, id }, 'bisection_ended', null, { note: reason })
}
