import type { BreakageState, FailureCategory, WithdrawnReason } from '../../contract/sets.ts'
import { type Database, type Pool, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { enqueue, type Jobs } from '../../db/queue.ts'
import { eachRow } from '../accounts/isolation.ts'
import { nameOfJob } from '../branches/job-labels.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { assignAutomatically } from './automatic-assignment.ts'
import { bisectedSuspects } from './bisection/bisected.ts'
import { type Blamed, bestFinding, type Finding, fixingChange, NOBODY, narrowed } from './evidence.ts'
import { flickers, regressionOf } from './flicker.ts'
import { handOn } from './hand-on.ts'
import { note, recordEvent } from './history.ts'
import { hitsOf } from './hits.ts'
import { sinceImported } from './imported-failures.ts'
import { type Hit, type Occurrence, occurrencesOf } from './judge.ts'
import { labelOf } from './label.ts'
import * as occurrences from './occurrences.ts'

/** The stored state of a breakage before its builds are evaluated again. */
interface StoredBreakage extends ProjectKey {
  id: number
  fingerprint: string
  branch: string | null
  state: BreakageState
  occurrence: number
  category: FailureCategory | null
  owner_user_id: number | null
  task_id: number | null
  fixed_by_change_id: number | null
  muted: boolean
  unfixed_at: string | null
  jobs: string[]
  /** The suspects and the range as messages and notifications show them. */
  summary: string
  flaky: boolean
}

const SUMMARY = sql`concat_ws(' ', named_suspect(suspects) ->> 'change_id', named_suspect(suspects) ->> 'user_id', '/', last_good_change_id, '/',
  first_bad_change_id, '/', flaky)`

/**
 * Computes the state of a breakage from its builds and later passes: its occurrences with their ranges, its evidence, whether it is fixed or
 * reopened. The order of the reports does not matter. `movedTo`: the breakage that builds of this one moved to. Needs the lock of the
 * project's breakages. `late`: builds whose range got or lost a change.
 */
export async function recompute(
  db: Database,
  { account_id, id }: RecordKey,
  movedTo?: number,
  late: ReadonlySet<number> = new Set(),
) {
  const known = (await db.one<StoredBreakage>(sql`
    select id, account_id, project_id, fingerprint, branch, state, occurrence, category, owner_user_id, task_id, fixed_by_change_id, jobs,
      state = 'muted' and (muted_until is null or muted_until > goldmaster_now()) as muted, unfixed_at, flaky, ${SUMMARY} as summary
    from breakages where account_id = ${account_id} and id = ${id}`))!
  await db.execute(sql`
    delete from breakage_builds m using build_runs b
    where m.account_id = ${account_id} and m.breakage_id = ${id} and b.account_id = m.account_id and b.id = m.build_run_id
      and (b.verdict is distinct from 'failed' or b.kind = 'preflight')`)
  if (known.state !== 'fixed' && (await isOfDeletedBranch(db, known))) return withdraw(db, known, 'branch_deleted')
  const hits = await hitsOf(db, known)
  const live = occurrencesOf(hits, {
    passing: known.branch === null,
    byTime: known.branch === null,
    said: await occurrences.resolutions(db, known),
    unfixedAt: known.unfixed_at === null ? null : Date.parse(known.unfixed_at),
  })
  const found: Occurrence[] = []
  for (const occurrence of live) found.push(await sinceImported(db, known, hits, occurrence))
  const newest = found.at(-1)
  const isLost = !hits.some(({ failures }) => failures.some(({ occurrence }) => occurrence === known.occurrence))
  const isOver = known.state === 'fixed' || known.state === 'withdrawn'
  if (newest === undefined || (isLost && known.occurrence > 0 && newest.mended && !isOver)) {
    await occurrences.keepFirst(db, known, found.length)
    return withdraw(db, known, movedTo === undefined ? 'not_a_failure' : 'same_as', movedTo)
  }
  await describe(db, known, hits, found, late)
  if (known.state === 'withdrawn' && newest.mended) return
  // All its failures are new: it reopened before its fix was evaluated.
  const isNext = known.occurrence > 0 && newest.failures.every(({ occurrence }) => occurrence === null)
  const state = nextState(known, newest.mended !== null, isNext)
  if (state === 'fixed') await fix(db, known)
  if (state === 'open' && (isOver || (isNext && found.length > known.occurrence))) return reopen(db, known)
  if (state !== known.state) {
    if (state === 'fixed') await note(db, known, 'fixed')
    else {
      await db.execute(sql`
        update breakages set state = ${state}, muted_until = null, updated_at = now()
        where account_id = ${account_id} and id = ${id}`)
      await note(db, known, 'unmuted')
    }
  }
  if (state === 'open' || state === 'claimed') await assignAutomatically(db, known)
  await occurrences.followBreakage(db, known)
  await recordRevision(db, known)
}

const isOfDeletedBranch = async (db: Database, { account_id, project_id, branch }: StoredBreakage) =>
  (await db.one(sql`
    select from branches b
    where b.account_id = ${account_id} and b.project_id = ${project_id} and b.name = ${branch} and b.deleted_at is not null`)) !==
  undefined

const nextState = ({ state, muted, owner_user_id }: StoredBreakage, mended: boolean, isNext: boolean): BreakageState => {
  if (mended) return 'fixed'
  if (state === 'fixed' || state === 'withdrawn' || isNext) return 'open'
  if (state === 'muted' && !muted) return owner_user_id === null ? 'open' : 'claimed'
  return state
}

/** Stores the result: a row for every occurrence, and the newest one in the breakage itself. */
async function describe(
  db: Database,
  known: StoredBreakage,
  hits: readonly Hit[],
  all: readonly Occurrence[],
  late: ReadonlySet<number>,
) {
  const { id } = known
  const regression = regressionOf(hits, all)
  const found = regression ? [...all.slice(0, -1), regression] : all
  const newest = found.at(-1)!
  const finding = await bestFinding(
    db,
    known,
    newest.failures.map(({ build_run_id }) => build_run_id),
  )
  const isFlickering =
    known.branch !== null && !regression && (found.some(({ flaky }) => flaky) || (await flickers(db, known, finding, found)))
  const isBlameless = known.branch === null || isFlickering
  const blame = (of: Occurrence, number: number) =>
    isBlameless ? NOBODY : blamed(db, known, number === found.length ? finding : undefined, of, number, late)
  const label = finding && labelOf(known, finding)
  const jobs = [...new Set(hits.map(({ job }) => nameOfJob(job)))].sort()
  await occurrences.write(db, known, found, {
    blame,
    isFlickering,
    fixedBy: async (occurrence, suspects, owner_user_id) =>
      isBlameless ? null : fixingChange(db, { ...known, suspects, owner_user_id }, shownBy(finding), occurrence),
  })
  await db.execute(sql`
    update breakages k set flaky = ${isFlickering}, occurrence = o.number, first_opened_at = first.opened_at, opened_at = o.opened_at,
      reopened_count = ${found.length - 1} + by_hand.count,
      category = coalesce(${label?.category ?? null}, k.category), confidence = coalesce(${finding?.confidence ?? null}, k.confidence),
      cause = coalesce(${label?.diagnosis ?? null}, k.cause), suggested_fix = coalesce(${finding?.suggested_fix ?? null}, k.suggested_fix),
      evidence = coalesce(${finding ? JSON.stringify(finding.evidence) : null}::jsonb, k.evidence),
      suspects = o.suspects, jobs = ${jobs}::text[], platforms = builds.platforms, first_bad_change_id = o.first_bad_change_id, last_good_change_id = o.last_good_change_id,
      build_count = builds.count, first_build_run_id = o.first_build_run_id, last_build_run_id = builds.last,
      last_seen_at = coalesce(builds.seen_at, k.last_seen_at), updated_at = now()
    from breakage_occurrences o, breakage_occurrences first, (
      select count(*) as count from breakage_history h
      where h.account_id = ${known.account_id} and h.breakage_id = ${id} and h.kind = 'reopened' and h.user_id is not null) by_hand, (
      select count(*) as count, max(b.id) as last, max(coalesce(b.finished_at, b.created_at)) as seen_at,
        coalesce(array_agg(distinct b.platform order by b.platform) filter (where b.platform <> ''), '{}') as platforms
      from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
      where m.account_id = ${known.account_id} and m.breakage_id = ${id}) builds
    where k.account_id = ${known.account_id} and k.id = ${id} and o.account_id = k.account_id and o.breakage_id = k.id and o.number = ${found.length}
      and first.account_id = k.account_id and first.breakage_id = k.id and first.number = 1`)
  for (const job of jobs.filter((job) => !known.jobs.includes(job))) await note(db, known, 'joined', null, { job })
}

/**
 * Who is suspected in an occurrence, for every page of its builds. If the suspects of its best finding were searched in another range, or
 * the range got or lost a change (`late`: builds with such a range), they are searched again.
 */
async function blamed(
  db: Database,
  known: StoredBreakage,
  best: Finding | undefined,
  occurrence: Occurrence,
  number: number,
  late: ReadonlySet<number>,
): Promise<Blamed | undefined> {
  const bisected = await bisectedSuspects(db, known, number, occurrence.lastGood)
  if (bisected) return bisected
  const builds = occurrence.failures.map(({ build_run_id }) => build_run_id)
  const finding = best ?? (await bestFinding(db, known, builds))
  if (!finding) return undefined
  const { isDue, ...found } = await narrowed(db, known, finding, occurrence)
  if (isDue || builds.some((id) => late.has(id))) await scheduleReview(db, known, finding.build_run_id, occurrence)
  return found
}

const shownBy = (finding: Finding | undefined) =>
  finding?.category ? { category: finding.category, evidence: finding.evidence } : undefined

/** Computes the suspects of the build with the best evidence again for the range of the occurrence. */
const scheduleReview = (db: Database, { account_id }: StoredBreakage, buildId: number, { lastGood, firstBad }: Occurrence) =>
  enqueue(
    db,
    'review_suspects',
    {
      account_id,
      build_run_id: buildId,
      ...(firstBad !== null && { span: { above: lastGood ?? 0, up_to: firstBad } }),
    },
    { account_id, name: `review suspects of build ${buildId}` },
  )

/** A failure that is reported late may move the fixing pass. */
const fix = (db: Database, { account_id, id }: StoredBreakage) =>
  db.execute(sql`
    update breakages k set state = 'fixed', muted_until = null, fixed_at = o.fixed_at, fixed_by_change_id = o.fixed_by_change_id,
      fixed_after_change_id = o.fixed_after_change_id, fixed_up_to_change_id = o.fixed_up_to_change_id, resolved_at = o.resolved_at,
      resolved_position = o.resolved_position, unfixed_at = null, updated_at = now()
    from breakage_occurrences o
    where k.account_id = ${account_id} and k.id = ${id} and o.account_id = k.account_id and o.breakage_id = k.id
      and o.number = k.occurrence`)

/** A reopened breakage has no owner. */
async function reopen(db: Database, known: StoredBreakage) {
  await db.execute(sql`
    update breakages set state = 'open', reopenings = reopenings + 1, fixed_at = null, fixed_by_change_id = null, fixed_in = null, fixed_after_change_id = null, fixed_up_to_change_id = null, resolved_at = null,
      resolved_position = null, owner_user_id = null, claimed_at = null, assigned_because = null, muted_until = null, withdrawn_reason = null,
      same_as_breakage_id = null, updated_at = now()
    where account_id = ${known.account_id} and id = ${known.id}`)
  await note(db, known, 'reopened')
}

/** A withdrawn breakage was not fixed, has no suspects and is left out of all statistics. */
async function withdraw(
  db: Database,
  { id, account_id, state, occurrence }: Pick<StoredBreakage, 'id' | 'account_id' | 'state' | 'occurrence'>,
  reason: WithdrawnReason,
  sameAs?: number,
) {
  if (state === 'withdrawn') return
  if (sameAs !== undefined) await handOn(db, { account_id, id }, sameAs)
  await db.execute(sql`
    update breakages k set state = 'withdrawn', withdrawn_reason = ${reason}, same_as_breakage_id = ${sameAs ?? null}, suspects = '[]',
      muted_until = null, fixed_at = null, fixed_by_change_id = null, fixed_after_change_id = null, fixed_up_to_change_id = null,
      resolved_at = null, resolved_position = null, unfixed_at = null, updated_at = now(),
      build_count = (select count(*) from breakage_builds m where m.account_id = k.account_id and m.breakage_id = k.id),
      occurrence = (select count(*) from breakage_occurrences o where o.account_id = k.account_id and o.breakage_id = k.id)
    where k.account_id = ${account_id} and k.id = ${id}`)
  await db.execute(sql`
    update breakage_occurrences set suspects = '[]', attributed_user_id = null where account_id = ${account_id} and breakage_id = ${id}`)
  const detail = sameAs === undefined ? { reason } : { reason, same_as_breakage_id: sameAs }
  await note(db, { account_id, id }, 'withdrawn', null, detail)
  await recordEvent(db, 'breakage.suspects_changed', { account_id, id }, { occurrence })
}

/** Messages and notifications are no longer true if what they said has changed. */
async function recordRevision(db: Database, known: StoredBreakage) {
  if (known.occurrence === 0) return
  const { summary, flaky } = (await db.one<{ summary: string; flaky: boolean }>(sql`
    select ${SUMMARY} as summary, flaky from breakages where account_id = ${known.account_id} and id = ${known.id}`))!
  if (summary === known.summary) return
  if (known.flaky && !flaky) await recordEvent(db, 'breakage.steadied', known)
  await recordEvent(db, 'breakage.revised', known)
  await recordEvent(db, 'breakage.suspects_changed', known, { occurrence: known.occurrence })
}

type Due = RecordKey & { project_id: number }

/** Each in its own transaction, so that build reports wait for one at a time. */
async function recomputeEach(db: Pool, due: readonly Due[], late?: ReadonlySet<number>) {
  for (const { account_id, id, project_id } of due)
    await db.transaction(async (db) => {
      await lockBreakages(db, project_id)
      await recompute(db, { account_id, id }, undefined, late)
    })
}

/** A build of this job ended without failing. A build that is reported late may change what was fixed since it ran. */
export const recomputeJob = async (db: Pool, { account_id, project_id, job, since }: Jobs['recompute_breakages']) =>
  recomputeEach(
    db,
    await db.rows(sql`
      select k.account_id, k.id, k.project_id from breakages k
      where k.account_id = ${account_id} and k.project_id = ${project_id} and (${UNSETTLED} or k.fixed_at > ${since ?? null}::timestamptz)
        and ${job} = any (k.jobs) order by k.id`),
  )

/** Time-based changes: jobs that fell silent, and mutes that expire. */
export async function recomputeOverdue(db: Pool) {
  const overdue = await db.rows<Due>(sql`
    select k.account_id, k.id, k.project_id from breakages k
    where ${UNSETTLED} and (k.muted_until <= goldmaster_now() or k.last_seen_at < goldmaster_now() - interval '30 days') order by k.id`)
  await eachRow(db, 'recompute_breakages_overdue', overdue, (one) => recomputeEach(db, [one]))
}

/** The breakages of builds whose range got or lost a change. */
export const recomputeLate = (db: Pool, project: ProjectKey, builds: readonly { id: number; breakage_id: number | null }[]) =>
  recomputeEach(
    db,
    [...new Set(builds.flatMap(({ breakage_id }) => breakage_id ?? []))].sort().map((id) => ({ ...project, id })),
    new Set(builds.map(({ id }) => id)),
  )

/** The breakages of a deleted branch. */
export const recomputeDeletedBranches = async (db: Pool, project: ProjectKey) =>
  recomputeEach(
    db,
    await db.rows(sql`
      select k.account_id, k.id, k.project_id from breakages k
      join branches b on b.account_id = k.account_id and b.project_id = k.project_id and b.name = k.branch and b.deleted_at is not null
      where k.account_id = ${project.account_id} and k.project_id = ${project.project_id} and ${UNSETTLED} order by k.id`),
  )
