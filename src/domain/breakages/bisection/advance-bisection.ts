import type { BisectionVerdict, BuildStatus } from '../../../contract/sets.ts'
import { type Database, type Pool, sql } from '../../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../../db/project-key.ts'
import { enqueue, type Jobs } from '../../../db/queue.ts'
import { nextStep, type Step } from '../../../diagnosis/bisection/bisection.ts'
import { eachRow } from '../../accounts/isolation.ts'
import { lockBreakages } from '../../branches/project-lock.ts'
import { UNSETTLED, WANTED } from '../../builds/follow-up-jobs.ts'
import * as builds from '../../builds/report.ts'
import type { IntegrationContext } from '../../integrations/context.ts'
import { note } from '../history.ts'
import { recompute } from '../recompute.ts'
import { searchOf } from '../search.ts'
import { type Ending, end, schedule } from './bisections.ts'
import { nextSlot } from './show-bisection.ts'

interface Running extends RecordKey, ProjectKey {
  breakage_id: number
  job: string
  branch: string
  is_open: boolean
}

/** Reads the result of the last build and starts the next one, or ends the search. Repeating it changes nothing. */
export const advance = (db: Pool, { account_id, bisection_id }: Jobs['advance_bisection']) =>
  db.transaction(async (db) => {
    const running = await db.one<Running>(sql`
      select s.account_id, s.id, s.project_id, s.breakage_id, s.job, s.branch, ${UNSETTLED} and k.occurrence = s.occurrence as is_open
      from bisections s join breakages k on k.account_id = s.account_id and k.id = s.breakage_id
      where s.account_id = ${account_id} and s.id = ${bisection_id} and s.status = 'running' for update of s`)
    if (!running) return
    if (!running.is_open) return finish(db, running, { status: 'cancelled', reason: 'The breakage is over.' })
    const last = await lastBuild(db, running)
    if (last && last.verdict === null) {
      if (last.is_elsewhere)
        return finish(db, running, { status: 'failed', reason: 'The CI built another change than it was asked for.' })
      const verdict = verdictOf(last)
      if (verdict === undefined) return
      await db.execute(sql`
        update bisection_builds set verdict = ${verdict}
        where account_id = ${account_id} and bisection_id = ${bisection_id} and number = ${last.number}`)
    }
    const search = await searchOf(db, running)
    const step = nextStep(search)
    if (step.kind !== 'build') return conclude(db, running, step, search)
    if ((await nextSlot(db, running)) === null)
      await startBuild(db, running, search.changes[step.index]!, (last?.number ?? 0) + 1)
  })

interface LastBuild {
  number: number
  verdict: BisectionVerdict | null
  status: BuildStatus | null
  is_lost: boolean
  /** It reported another revision than that of its change. */
  is_elsewhere: boolean
  /** It failed for the same cause. */
  is_member: boolean
  /** Whether its cause is known, or will never be. */
  is_investigated: boolean
  is_wanted: boolean
}

const lastBuild = (db: Database, { account_id, id, breakage_id }: Running) =>
  db.one<LastBuild>(sql`
    select t.number, t.verdict, b.status, b.lost_at is not null as is_lost,
      b.id is not null and c.identifier not in (b.commit_hash, b.changelist) as is_elsewhere,
      exists (select from breakage_builds m where m.account_id = b.account_id and m.build_run_id = b.id and m.breakage_id = ${breakage_id}) as is_member,
      exists (select from investigations i where i.account_id = b.account_id and i.build_run_id = b.id and i.status in ('completed', 'failed')) as is_investigated,
      ${WANTED} as is_wanted
    from bisection_builds t join projects p on p.account_id = t.account_id and p.id = t.project_id join accounts a on a.id = t.account_id
    left join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
    left join changes c on c.account_id = t.account_id and c.id = t.change_id
    where t.account_id = ${account_id} and t.bisection_id = ${id} order by t.number desc limit 1`)

/** What a build shows about its change; undefined while it may still show more. A failure for another cause shows nothing. */
function verdictOf({ status, is_lost, is_member, is_investigated, is_wanted }: LastBuild): BisectionVerdict | undefined {
  if (status === null || status === 'cancelled' || is_lost) return 'skip'
  if (status === 'completed' || status === 'passed_pending_approval') return 'good'
  if (status !== 'failed') return undefined
  if (is_member || !is_wanted) return 'bad'
  return is_investigated ? 'skip' : undefined
}

/** Builds of the range only: nothing else follows from one. */
async function startBuild(db: Database, running: Running, changeId: number, number: number) {
  const { account_id, id, project_id, job, branch } = running
  const context = await db.one<IntegrationContext & { identifier: string; source_type: string }>(sql`
    select i.id as integration_id, i.provider, i.config, p.id as project_id, p.account_id, p.engine, p.approval_rules, c.identifier, c.source_type
    from bisections s join integrations i on i.account_id = s.account_id and i.id = s.integration_id and i.active
    join projects p on p.account_id = s.account_id and p.id = s.project_id
    join changes c on c.account_id = s.account_id and c.id = ${changeId}
    where s.account_id = ${account_id} and s.id = ${id}`)
  if (!context) return finish(db, running, { status: 'failed', reason: 'The integration or the change was deleted.' })
  const revision = context.source_type === 'Changelist' ? { changelist: context.identifier } : { commit_hash: context.identifier }
  const build = await builds.report(db, context, {
    build: { job },
    status: 'queued',
    build_kind: 'bisect',
    ...revision,
    ...(branch !== '' && { branch }),
  })
  await db.execute(sql`
    insert into bisection_builds (account_id, bisection_id, number, project_id, build_run_id, change_id)
    values (${account_id}, ${id}, ${number}, ${project_id}, ${build!.id}, ${changeId})`)
  await enqueue(db, 'start_build', { account_id, build_run_id: build!.id }, { account_id, name: `start build ${build!.id}` })
}

type End = Exclude<Step, { kind: 'build' }>

async function conclude(db: Database, running: Running, step: End, { changes, trials }: Awaited<ReturnType<typeof searchOf>>) {
  if (step.kind === 'found') {
    const found = { change_id: changes[step.index]!, probability: step.probability }
    return finish(db, running, { status: 'found', found, reason: `narrowed by ${countOf(trials.length)}` })
  }
  if (step.kind === 'no_change')
    return finish(db, running, {
      status: 'no_change',
      reason: 'No change is the cause: the last one passes, so the failure is flaky.',
    })
  return finish(db, running, {
    status: 'stuck',
    reason: `${step.among.length} changes are left, and no further build can tell them apart.`,
  })
}

const countOf = (builds: number) => (builds === 1 ? '1 build' : `${builds} builds`)

async function finish(db: Database, running: Running, ending: Ending) {
  const { account_id, id, breakage_id, project_id } = running
  await end(db, { account_id, id }, ending)
  await note(db, { account_id, id: breakage_id }, 'bisection_ended', null, { note: ending.reason ?? '' })
  await lockBreakages(db, project_id)
  await recompute(db, { account_id, id: breakage_id })
}

/** Searches that wait for tomorrow's builds, for a build that went silent, or whose job was lost. */
export async function advanceAll(db: Pool) {
  const running = await db.rows<RecordKey>(sql`select account_id, id from bisections where status = 'running'`)
  await eachRow(db, 'advance_bisections', running, (one) => schedule(db, one))
}
