import { cannotBisect, notFound } from '../../../contract/errors.ts'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import type { BisectionStatus } from '../../../contract/sets.ts'
import { type Database, sql } from '../../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../../db/project-key.ts'
import { enqueue } from '../../../db/queue.ts'
import { find } from '../breakages.ts'
import { changesBetween } from '../evidence.ts'
import { note } from '../history.ts'
import { refusalOf, subjectOf } from './bisection-subject.ts'

/** A longer range is not read completely. */
const CHANGES_MAX = 199

interface Starter extends ProjectKey {
  user_id: number | null
}

/** Starts a search; a running one is returned unchanged. */
export const start = (
  db: Database,
  by: Starter,
  breakageId: number | undefined,
  site: string,
): Promise<{ breakage: BreakageDetail; created: boolean }> =>
  db.transaction(async (db) => {
    const subject = await subjectOf(db, by, breakageId)
    if (!subject) throw notFound('Breakage')
    if (subject.is_running) return { breakage: await find(db, by, subject.id, site), created: false }
    const refusal = refusalOf(subject)
    if (refusal !== null) throw cannotBisect(refusal)
    const { account_id, project_id, user_id } = by
    const changes = await changesBetween(db, { ...subject, ...by, id: subject.id }, subject.above!, subject.up_to!)
    if (changes.length === 0 || changes.length > CHANGES_MAX)
      throw cannotBisect(changes.length === 0 ? 'The range has no changes.' : `The range has more than ${CHANGES_MAX} changes.`)
    const scoreOf = (id: number) => subject.suspects.find(({ change_id }) => change_id === id)?.score ?? 0
    const suspects = changes.map(({ id }) => ({ change_id: id, user_id: null, score: scoreOf(id) }))
    const made = await db.one<{ id: number }>(sql`
      insert into bisections (account_id, project_id, breakage_id, occurrence, job, branch, integration_id, suspects, failures, user_id)
      values (${account_id}, ${project_id}, ${subject.id}, ${subject.occurrence}, ${subject.job}, ${subject.told_branch},
        ${subject.integration_id}, ${JSON.stringify(suspects)}::jsonb, ${Math.max(1, subject.failures)}, ${user_id})
      on conflict (account_id, breakage_id) where status = 'running' do nothing returning id`)
    if (made) {
      await note(db, { account_id, id: subject.id }, 'bisection_started', user_id)
      await schedule(db, { account_id, id: made.id })
    }
    return { breakage: await find(db, by, subject.id, site), created: made !== undefined }
  })

/** Ends the running search. A build that already runs at the CI goes on. */
export const cancel = (db: Database, by: Starter, breakageId: number | undefined, site: string): Promise<BreakageDetail> =>
  db.transaction(async (db) => {
    const { account_id } = by
    const running = await db.one<{ id: number; breakage_id: number }>(sql`
      select id, breakage_id from bisections
      where account_id = ${account_id} and project_id = ${by.project_id} and breakage_id = ${breakageId ?? 0} and status = 'running' for update`)
    if (running) {
      await end(db, { account_id, id: running.id }, { status: 'cancelled' })
      await note(db, { account_id, id: running.breakage_id }, 'bisection_ended', by.user_id)
      await db.execute(sql`
        update build_runs b set status = 'cancelled', finished_at = goldmaster_now(), updated_at = now() from bisection_builds t
        where t.account_id = ${account_id} and t.bisection_id = ${running.id} and b.account_id = t.account_id and b.id = t.build_run_id
          and b.status = 'queued' and b.build_number = ''`)
    }
    return find(db, by, breakageId, site)
  })

export interface Ending {
  status: Exclude<BisectionStatus, 'running'>
  found?: { change_id: number; probability: number }
  reason?: string
}

export const end = (db: Database, { account_id, id }: RecordKey, { status, found, reason }: Ending) =>
  db.execute(sql`
    update bisections set status = ${status}, found_change_id = ${found?.change_id ?? null}, probability = ${found?.probability ?? null},
      reason = ${reason ?? null}, finished_at = goldmaster_now()
    where account_id = ${account_id} and id = ${id} and status = 'running'`)

/** One job covers everything that happens before it runs. */
export const schedule = (db: Database, { account_id, id }: RecordKey) =>
  enqueue(db, 'advance_bisection', { account_id, bisection_id: id }, { account_id, name: `bisection ${id}` })

/** The CI refuses to build the change: no other build of this search can be started either. False if no search waits for this build. */
export const refuse = (db: Database, build: RecordKey, reason: string) =>
  db.transaction(async (db) => {
    const search = await db.one<{ id: number; breakage_id: number }>(sql`
      select s.id, s.breakage_id from bisection_builds t join bisections s on s.account_id = t.account_id and s.id = t.bisection_id
      where t.account_id = ${build.account_id} and t.build_run_id = ${build.id} and s.status = 'running' for update of s`)
    if (!search) return false
    await end(db, { account_id: build.account_id, id: search.id }, { status: 'failed', reason })
    await note(db, { account_id: build.account_id, id: search.breakage_id }, 'bisection_ended', null, { note: reason })
    await db.execute(sql`
      update build_runs set status = 'cancelled', finished_at = goldmaster_now(), updated_at = now()
      where account_id = ${build.account_id} and id = ${build.id} and status = 'queued'`)
    return true
  })
