import type { BreakageHistoryKind, BreakageState, FailureCategory } from '../../contract/sets.ts'
import { type Database, type Pool, sql } from '../../db/database.ts'
import type { Jobs } from '../../db/queue.ts'
import { lockBreakages } from '../builds/project-lock.ts'
import { revise } from '../channels/message-queue.ts'
import { bestFinding, fixingChange, narrowed } from './evidence.ts'
import { hitsOf } from './hits.ts'
import { type Hit, judge, type Verdict } from './judge.ts'

/** What is known of a breakage before its builds are looked at again. */
interface Known {
  id: number
  account_id: number
  project_id: number
  branch: string | null
  state: BreakageState
  flaky: boolean
  category: FailureCategory | null
  owner_user_id: number | null
  muted: boolean
  resolved_at: string | null
  resolved_position: number | null
  jobs: string[]
}

/**
 * Works out from its builds, and from those that passed since, what a breakage is now: its range, its evidence, whether it is fixed or
 * came back. Nothing depends on the order in which the builds were reported. Under the lock of the project's breakages.
 */
export async function settle(db: Database, id: number) {
  const known = (await db.one<Known>(sql`
    select id, account_id, project_id, branch, state, flaky, category, owner_user_id, jobs,
      state = 'muted' and (muted_until is null or muted_until > now()) as muted,
      resolved_at, resolved_position from breakages where id = ${id}`))!
  await db.execute(sql`
    delete from breakage_builds m using build_runs b
    where m.account_id = ${known.account_id} and m.breakage_id = ${id} and b.id = m.build_run_id and b.status <> 'failed'`)
  const hits = await hitsOf(db, known)
  const verdict = judge(hits, known.flaky || known.branch === null)
  await describe(db, known, hits, verdict)
  const mended = known.resolved_at === null ? verdict.mended !== null : !(await cameBack(db, known))
  const state = nextState(known, mended)
  // A failure that is reported late may move what mended it.
  if (state === 'fixed' && known.resolved_at === null) await fix(db, known, verdict)
  if (state === known.state) return
  if (state === 'fixed') await note(db, known, 'fixed')
  else if (known.state === 'fixed') await reopen(db, known)
  else {
    await db.execute(sql`update breakages set state = ${state}, muted_until = null, updated_at = now() where id = ${id}`)
    await note(db, known, 'unmuted')
  }
}

const nextState = ({ state, muted, owner_user_id }: Known, mended: boolean): BreakageState => {
  if (mended) return 'fixed'
  if (state === 'fixed') return 'open'
  if (state === 'muted' && !muted) return owner_user_id === null ? 'open' : 'claimed'
  return state
}

/** Somebody said that it is fixed: only what fails after that says otherwise. */
const cameBack = async (db: Database, { id, account_id, resolved_at, resolved_position }: Known) => {
  const failures = await db.rows<{ position: number | null; later: boolean }>(sql`
    select m.position, coalesce(b.started_at, b.created_at) > ${resolved_at}::timestamptz as later
    from breakage_builds m join build_runs b on b.id = m.build_run_id
    where m.account_id = ${account_id} and m.breakage_id = ${id} and m.joined_at > ${resolved_at}::timestamptz`)
  return failures.some(({ position, later }) =>
    position === null || resolved_position === null || position === resolved_position ? later : position > resolved_position,
  )
}

async function describe(db: Database, known: Known, hits: readonly Hit[], verdict: Verdict) {
  const { id } = known
  const finding = await bestFinding(db, known)
  const suspects = known.branch === null ? [] : await narrowed(db, known, finding?.suspects ?? [], verdict)
  const jobs = [...new Set(hits.map(({ job }) => job))].sort()
  const changeAt = (position: number | null) => sql`(
    select p.change_id from change_branches p where p.account_id = ${known.account_id} and p.project_id = ${known.project_id}
      and p.branch = ${known.branch} and p.position = ${position} limit 1)`
  await db.execute(sql`
    update breakages k set flaky = k.flaky or (${verdict.flaky} and k.branch is not null),
      category = coalesce(${finding?.category ?? null}, k.category), confidence = coalesce(${finding?.confidence ?? null}, k.confidence),
      cause = coalesce(${finding?.diagnosis ?? null}, k.cause), suggested_fix = coalesce(${finding?.suggested_fix ?? null}, k.suggested_fix),
      evidence = coalesce(${finding ? JSON.stringify(finding.evidence) : null}::jsonb, k.evidence),
      suspects = ${JSON.stringify(suspects)}::jsonb, jobs = ${jobs.length > 0 ? jobs : known.jobs}::text[],
      first_bad_change_id = ${changeAt(verdict.firstBad)}, last_good_change_id = ${changeAt(verdict.lastGood)},
      build_count = builds.count, first_build_run_id = builds.first, last_build_run_id = builds.last,
      last_seen_at = coalesce(builds.seen_at, k.last_seen_at), updated_at = now()
    from (
      select count(*) as count, min(b.id) as first, max(b.id) as last, max(coalesce(b.finished_at, b.created_at)) as seen_at
      from breakage_builds m join build_runs b on b.id = m.build_run_id
      where m.account_id = ${known.account_id} and m.breakage_id = ${id}) builds
    where k.id = ${id}`)
  for (const job of jobs.filter((job) => !known.jobs.includes(job))) await note(db, known, 'joined', null, job)
}

async function fix(db: Database, known: Known, { mended }: Verdict) {
  const last = mended?.reduce((a, b) => (a.finished_at > b.finished_at ? a : b), mended[0]!)
  if (last === undefined && known.state === 'fixed') return
  const change = last && known.branch !== null ? await fixingChange(db, known, last) : null
  await db.execute(sql`
    update breakages set state = 'fixed', muted_until = null, fixed_by_change_id = ${change},
      fixed_at = ${last ? new Date(last.finished_at).toISOString() : new Date().toISOString()}, updated_at = now() where id = ${known.id}`)
}

async function reopen(db: Database, known: Known) {
  await db.execute(sql`
    update breakages set state = 'open', reopened_count = reopened_count + 1, fixed_at = null, fixed_by_change_id = null,
      resolved_at = null, resolved_position = null, claimed_at = null, updated_at = now() where id = ${known.id}`)
  await note(db, known, 'reopened')
}

/** No event tells of these, and yet messages about it say something else afterwards. */
const UNTOLD: readonly BreakageHistoryKind[] = ['joined', 'released', 'unmuted']

export async function note(
  db: Database,
  { account_id, id }: { account_id: number; id: number },
  kind: BreakageHistoryKind,
  userId: number | null = null,
  detail = '',
) {
  await db.execute(sql`
    insert into breakage_history (account_id, breakage_id, kind, user_id, detail)
    values (${account_id}, ${id}, ${kind}, ${userId}, ${detail})`)
  if (UNTOLD.includes(kind)) await revise(db, account_id, 'breakage', [String(id)])
}

/** Each in a transaction of its own, so that reports of builds wait for one at a time. */
async function settleEach(db: Pool, due: readonly { id: number; project_id: number }[]) {
  for (const { id, project_id } of due)
    await db.transaction(async (db) => {
      await lockBreakages(db, project_id)
      await settle(db, id)
    })
}

/** A build of this job ended otherwise than by failing. One that is reported late may say more about what was fixed since it ran. */
export const settleJob = async (db: Pool, { project_id, job, since }: Jobs['settle_breakages']) =>
  settleEach(
    db,
    await db.rows(sql`
      select id, project_id from breakages
      where project_id = ${project_id} and (state <> 'fixed' or fixed_at > ${since ?? null}::timestamptz) and ${job} = any (jobs) order by id`),
  )

/** What the clock changes: jobs that fell silent, and those that are muted until now. */
export const settleOverdue = async (db: Pool) =>
  settleEach(
    db,
    await db.rows(sql`
      select id, project_id from breakages
      where state <> 'fixed' and (muted_until <= now() or last_seen_at < now() - interval '30 days') order by id`),
  )
