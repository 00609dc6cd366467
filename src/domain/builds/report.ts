import { IDENTIFIER_MAX, INTEGER_MAX } from '../../contract/limits.ts'
import type { BuildKind, BuildStatus, BuildTimeNote, BuildType, TargetType } from '../../contract/sets.ts'
import { MEASURES_MAX } from '../../contract/spellings/build-dimensions.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { buildsNumbered } from '../branches/build-names.ts'
import type { Repository } from '../branches/lines.ts'
import { inferredBranch } from '../branches/positions.ts'
import { lockBuilds, lockProject, lockReports } from '../branches/project-lock.ts'
import { relinkToAll } from '../deployments/build-link.ts'
import { buildTypeOf, type IntegrationContext, isHistory } from '../integrations/context.ts'
import { scheduleWriteBacks } from '../integrations/write-backs.ts'
import * as links from '../tasks/links.ts'
import { noteFirstPass } from './first-pass.ts'
import {
  scheduleBisection,
  scheduleBreakageChecks,
  scheduleLogReadings,
  scheduleMeasuresOf,
  scheduleReviews,
  scheduleTestsOf,
} from './follow-up-jobs.ts'
import { inferDimensions, type JobPattern } from './job-dimensions.ts'
import * as logStream from './log-stream.ts'
import { stored } from './logs.ts'
import { heard } from './lost.ts'
import { byName, logKeyOf, type Measure } from './measures.ts'
import { correctTimes, withoutTimes } from './reported-times.ts'
import { replacing } from './stored-log.ts'

/** How a report identifies its build; the first of these that finds one wins, in this order. */
export interface BuildReference {
  build_run_id?: number
  /** The tool's own id for the run, if not every event contains job and number. */
  external_id?: string
  job?: string
  number?: string
  /** The newest build of this commit. */
  commit?: string
}

export interface Step {
  name: string
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled'
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  detail?: string
  /** A later phase implies that this one is over: ends a running step, never creates one, never changes a failed one. */
  ends?: true
}

export interface Artifact {
  name: string
  size_bytes: number | null
  url: string
  /** The version of the game; deployments can name their build by it. */
  version?: string
}

/** A tool's report about a build. Missing fields stay unchanged. */
export interface Report {
  build: BuildReference
  /** Absent: the report has no state. */
  status?: BuildStatus
  /** The CI itself blocks the build (a block step): only the CI unblocks it. */
  held?: true
  /** The build may belong to any integration of the project (engine events next to a CI). */
  anywhere?: true
  /** A report that only updates an existing build. */
  existing?: true
  build_type?: BuildType
  target_type?: TargetType
  platform?: string
  configuration?: string
  /** The machine that built it. */
  agent?: string
  measures?: Measure[]
  commit_hash?: string
  changelist?: string
  branch?: string
  /** The repository of the branch, if the tool reports it. */
  repository?: Repository
  url?: string
  /** Absent: a build of its branch, unless an earlier report said otherwise. */
  build_kind?: BuildKind
  /** What a preflight builds, and its target branch. */
  shelf?: string
  pull_request?: string
  head_repository?: string
  target_branch?: string
  /** The build that started this one. */
  upstream?: { job: string; number: string }
  phase?: string
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  log?: string
  steps?: Step[]
  artifacts?: Artifact[]
  /** The tool's time of the event. */
  at?: string
}

interface StoredBuild extends RecordKey {
  status: BuildStatus
  kind: BuildKind
  started_at: string | null
  received_at: string
  import_id: number | null
  time_note: BuildTimeNote | null
  /** With its platform and configuration. */
  job: string
}

const STORED_BUILD = sql`account_id, id, status, kind, job, started_at, goldmaster_now() as received_at, import_id, time_note`

type Reported = { id: number; effect: 'processed' | 'stale' } | undefined

const RANK: Record<BuildStatus, number> = {
  queued: 0,
  preparing: 1,
  building: 2,
  completed: 3,
  failed: 3,
  cancelled: 3,
  passed_pending_approval: 3,
}
const FINAL = 3

/**
 * Creates or updates the build; an outdated report has no effect. Undefined: a report about an unknown build. The transaction records other
 * things too.
 */
export async function report(db: Database, context: IntegrationContext, reported: Report): Promise<Reported> {
  await lockReports(db, context.project_id)
  return (await recordAll(db, context, [reported]))[0]
}

/** The same for reports with different names, in a transaction that records nothing else. What follows is written for all at once. */
export async function reportAll(db: Database, context: IntegrationContext, reports: readonly Report[]): Promise<Reported[]> {
  await lockBuilds(db, context.project_id, reports.flatMap(namesOf))
  return recordAll(db, context, reports)
}

/** A report that had an effect. */
interface Written {
  known: StoredBuild
  /** With corrected times. */
  timed: Report
  /** It had ended before the report told its platform or configuration: it is of another job. */
  isMoved: boolean
}

async function recordAll(db: Database, context: IntegrationContext, reports: readonly Report[]): Promise<Reported[]> {
  if (isHistory(context)) await db.execute(sql`set local goldmaster.quiet = 'on'`)
  const results: Reported[] = []
  const written: Written[] = []
  for (const reported of reports) {
    const recorded = await record(db, context, reported)
    if (recorded && 'known' in recorded) {
      written.push(recorded)
      results.push({ id: recorded.known.id, effect: 'processed' })
    } else results.push(recorded)
  }
  if (written.length > 0) await settle(db, context, written)
  return results
}

async function record(db: Database, context: IntegrationContext, reported: Report): Promise<Written | Reported> {
  const history = isHistory(context)
  const found = await find(db, context, reported)
  // An import changes a finished build only by what the server was asked for, such as its log.
  if (history && found && !reported.existing && RANK[found.status] === FINAL) return { id: found.id, effect: 'stale' }
  const told = found?.import_id != null && !history && reported.status !== undefined
  const known = told ? await begunAnew(db, found) : (found ?? (reported.existing ? undefined : await make(db, context, reported)))
  if (known === undefined) return undefined
  if (reported.status !== undefined && RANK[reported.status] < RANK[known.status]) return { id: known.id, effect: 'stale' }
  // The clock of a repeated end was compared with ours when the end was first received.
  const isCorrected = known.time_note === 'corrected' && RANK[known.status] === FINAL
  const { told: timed, note } = correctTimes(
    isCorrected ? withoutTimes(reported) : reported,
    known,
    RANK[reported.status ?? known.status] === FINAL,
  )
  const { job } = await update(db, known, timed, history && note === 'reported_late' ? null : note, history)
  for (const step of timed.steps ?? []) await (step.ends ? endStep : writeStep)(db, known, step)
  return { known, timed, isMoved: job !== known.job && RANK[known.status] === FINAL }
}

const isEnd = ({ known, timed }: Written) => RANK[timed.status ?? known.status] === FINAL
const idsOf = (written: readonly Written[]) => written.map(({ known }) => known.id)

/** Everything that depends on what was written: logs, links and jobs. */
async function settle(db: Database, context: IntegrationContext, written: readonly Written[]) {
  const { account_id } = context
  const history = isHistory(context)
  const ended = written.filter(isEnd)
  await storeLogs(db, account_id, written)
  await links.linkBuilds(db, account_id, idsOf(written))
  if (!history) for (const { known, timed } of written) if (timed.status === 'completed') await noteFirstPass(db, known)
  await relinkToAll(
    db,
    context,
    ended.map(({ known, timed }) => ({ id: known.id, hasArtifacts: timed.artifacts !== undefined })),
  )
  if (!history) await follow(db, context, written)
  else {
    await scheduleLogReadings(db, account_id, idsOf(written.filter(({ timed }) => timed.log !== undefined)))
    // They open nothing, but end or widen the ranges of breakages.
    await scheduleBreakageChecks(db, account_id, idsOf(ended))
  }
}

/** How old a build that only an import reported may be to become news when its tool reports it. */
const NEWS = sql`interval '1 day'`

/** A build that so far only an import reported: a recent one is treated as if this were its first report. */
const begunAnew = (db: Database, { account_id, id }: RecordKey) =>
  db.one<StoredBuild>(sql`
    update build_runs b set import_id = null, updated_at = now(),
      status = case when b.finished_at > goldmaster_now() - ${NEWS} then 'queued' else b.status end
    where account_id = ${account_id} and id = ${id} returning ${STORED_BUILD}`)

/** The log of a report replaces the streamed one; the end of a build turns the streamed one into its log. */
async function storeLogs(db: Database, accountId: number, written: readonly Written[]) {
  const of = (ended: boolean, withLog: boolean) =>
    idsOf(written.filter((one) => isEnd(one) === ended && (one.timed.log !== undefined) === withLog))
  await logStream.close(db, accountId, of(true, true))
  await logStream.replaceChunks(db, accountId, of(false, true))
  await logStream.joinChunks(db, accountId, of(true, false))
}

/** Schedules what depends on the reports: what reads logs, budgets, and checks of breakages that may be fixed. */
async function follow(db: Database, context: IntegrationContext, written: readonly Written[]) {
  const accountId = context.account_id
  const ended = written.filter(isEnd)
  const newlyEnded = ended.filter(({ known, timed }) => (timed.status ?? known.status) !== known.status)
  const isNew = new Set(newlyEnded)
  await scheduleWriteBacks(db, accountId, idsOf(ended))
  await scheduleLogReadings(db, accountId, idsOf(ended.filter((one) => isNew.has(one) || one.timed.log !== undefined)))
  await scheduleTestsOf(db, accountId, idsOf(newlyEnded))
  await scheduleMeasuresOf(db, accountId, idsOf(ended.filter((one) => isNew.has(one) || one.timed.measures !== undefined)))
  // A build that turns out to be a preflight leaves its breakage.
  const left = written.filter(
    ({ known, timed }) => (timed.build_kind ?? known.kind) !== known.kind && RANK[known.status] === FINAL,
  )
  const passed = newlyEnded.filter(({ timed }) => timed.status !== 'failed')
  const moved = written.filter(({ isMoved }) => isMoved)
  await scheduleBreakageChecks(db, accountId, idsOf([...new Set([...passed, ...left, ...moved])]))
  if (moved.length > 0) await scheduleReviews(db, context)
  for (const { known, timed } of ended) if ((timed.build_kind ?? known.kind) === 'bisect') await scheduleBisection(db, known)
}

/** The names by which a build is found or created: across jobs and integrations, to be safe. */
export const namesOf = ({ build: { number, external_id } }: Report) => [
  ...(number === undefined ? [] : [`number ${number}`]),
  ...(external_id === undefined ? [] : [`external ${external_id}`]),
]

/** The build of the report, locked until its delivery is recorded. */
async function find(
  db: Database,
  context: IntegrationContext,
  { build, anywhere, commit_hash, changelist }: Report,
): Promise<StoredBuild | undefined> {
  const { account_id, project_id } = context
  const where = async (condition: Sql) =>
    db.one<StoredBuild>(sql`
      select ${STORED_BUILD} from build_runs where account_id = ${account_id} and project_id = ${project_id} and ${condition}
      order by created_at desc, id desc limit 1 for update`)
  const ours = sql`integration_id = ${context.integration_id}`
  if (build.build_run_id !== undefined) return where(sql`id = ${build.build_run_id}`)
  if (build.external_id !== undefined) {
    const number = build.number ?? null
    const found = await where(sql`${ours} and external_id = ${build.external_id}
      and (${number}::text is null or build_number in ('', ${number}))`)
    if (found) return found
  }
  if (build.number !== undefined) {
    const numbered = sql`ci_job_name = ${build.job ?? ''} and build_number = ${build.number}`
    const found =
      (await where(sql`${ours} and ${numbered} and (external_id is null or ${build.external_id ?? null}::text is null)`)) ??
      (anywhere
        ? await where(
            sql`id = any (array(select id from ${buildsNumbered(
              { account_id: sql`${account_id}`, project_id: sql`${project_id}` },
              sql`${build.number}`,
              build.job === undefined ? undefined : sql`${build.job}`,
            )} n))`,
          )
        : undefined)
    if (found) return found
  }
  if (build.job !== undefined && build.number !== undefined && (commit_hash || changelist))
    return where(sql`${ours} and ci_job_name = ${build.job} and build_number = ''
      and ((commit_hash <> '' and commit_hash = ${commit_hash ?? ''}) or (changelist <> '' and changelist = ${changelist ?? ''}))`)
  if (build.commit !== undefined)
    return where(sql`${anywhere ? sql`true` : ours} and commit_hash = ${build.commit} and commit_hash <> ''`)
  return undefined
}

/** The tool's own id for the build, unless a build with another number has it: job and number decide. */
const untaken = (account: Sql, integration: Sql, { build }: Report) => sql`case when not exists (select from build_runs o
  where o.account_id = ${account} and o.integration_id = ${integration} and o.external_id = ${build.external_id ?? null}::text)
    then ${build.external_id ?? null}::text end`

/** A build without a number takes the reported one, unless another build of that job has it. */
const numbered = (number: string) => sql`case when b.build_number = '' and not exists (
  select from build_runs o where o.account_id = b.account_id and o.integration_id = b.integration_id and o.ci_job_name = b.ci_job_name
    and o.build_number = ${number})
  then ${number} else b.build_number end`

/** Lists show builds in the order of their creation: an imported one is where it would have been. */
const madeAt = (context: IntegrationContext, { started_at, finished_at, at }: Report) =>
  isHistory(context) ? (started_at ?? finished_at ?? at ?? null) : null

/** Two first reports at the same instant create one build: the second waits for the first and finds its row. */
async function make(db: Database, context: IntegrationContext, reported: Report): Promise<StoredBuild | undefined> {
  const { patterns, external_id } = (await db.one<{ patterns: JobPattern[]; external_id: string | null }>(sql`
    select job_patterns as patterns, ${untaken(sql`${context.account_id}`, sql`${context.integration_id}`, reported)} as external_id
    from projects where account_id = ${context.account_id} and id = ${context.project_id}`))!
  const inferred = inferDimensions({ job: reported.build.job ?? '', branch: reported.branch ?? '', patterns })
  const made = await db.one<StoredBuild>(sql`
    insert into build_runs (account_id, project_id, integration_id, external_id, status, build_type, target_type, ci_job_name, build_number,
      inferred_platform, inferred_configuration, created_at, import_id)
    values (${context.account_id}, ${context.project_id}, ${context.integration_id}, ${external_id}, 'queued',
      ${reported.build_type ?? buildTypeOf(context.engine)}, ${reported.target_type ?? 'development'}, ${reported.build.job ?? ''}, ${reported.build.number ?? ''},
      ${inferred.platform}, ${inferred.configuration}, least(goldmaster_now(), ${madeAt(context, reported)}::timestamptz), ${context.import_id ?? null})
    on conflict do nothing returning ${STORED_BUILD}`)
  return made ?? find(db, context, reported)
}

/** Writes the reported fields; missing times are derived from the state. An end alone does not imply a start. */
async function update(
  db: Database,
  known: StoredBuild,
  reported: Report,
  note: BuildTimeNote | null,
  history: boolean,
): Promise<Pick<StoredBuild, 'job'>> {
  const at = reported.at ?? null
  const status = reported.status ?? known.status
  const passed = reported.status === 'completed'
  const commit = sql`coalesce(${reported.commit_hash ?? null}, b.commit_hash)`
  const changelist = sql`coalesce(${reported.changelist ?? null}, b.changelist)`
  const repository = sql`coalesce(${reported.repository?.id ?? null}, b.repository)`
  const rank = reported.status === undefined ? 0 : RANK[reported.status]
  const upstream = reported.upstream && isIndexable(reported.upstream) ? reported.upstream : undefined
  const [running, ended] = [rank > 0 && rank < FINAL, rank === FINAL]
  const seconds = sql`make_interval(secs => ${reported.duration_seconds ?? null}::float8)`
  const started = sql`coalesce(${reported.started_at ?? null}::timestamptz, b.started_at, case when ${running} then coalesce(${at}::timestamptz, goldmaster_now())
    when ${ended} then coalesce(${reported.finished_at ?? at}::timestamptz, goldmaster_now()) - ${seconds} end)`
  const finished = sql`case when ${ended} then coalesce(${reported.finished_at ?? at}::timestamptz,
      ${reported.started_at ?? null}::timestamptz + ${seconds}, b.finished_at, goldmaster_now())
    when ${reported.status !== undefined} then null else b.finished_at end`
  const named = { branch: sql`coalesce(${reported.branch ?? null}, b.branch)`, commit, changelist, repository }
  // Found first: Citus takes neither subqueries nor arithmetic with times in the new values of a row.
  const updated = await db.one<Pick<StoredBuild, 'job'>>(sql`
    with found as materialized (
      select ${passed ? passedStatus(commit, changelist) : sql`${status}::text`} as status,
        coalesce(b.external_id, ${untaken(sql`b.account_id`, sql`b.integration_id`, reported)}) as external_id,
        ${numbered(reported.build.number ?? '')} as build_number, ${kindOf(reported.build_kind, changelist)} as kind,
        ${inferredBranch(named)} as inferred_branch, ${history ? sql`b.begin_received_at` : beganAt(reported, running, ended)} as begin_received_at,
        ${started} as started_at, ${finished} as finished_at${when(reported.measures, (measures) => sql`, ${measured(measures)} as measures`)}
      from build_runs b where b.account_id = ${known.account_id} and b.id = ${known.id}),
    heard as (${heard(known)})
    update build_runs b set status = found.status, held = ${reported.held ?? false}, external_id = found.external_id, build_number = found.build_number,
      build_type = coalesce(${reported.build_type ?? null}, b.build_type), target_type = coalesce(${reported.target_type ?? null}, b.target_type),
      platform = coalesce(${reported.platform ?? null}, b.platform), configuration = coalesce(${reported.configuration ?? null}, b.configuration),
      agent = coalesce(${reported.agent ?? null}, b.agent), ${when(reported.measures, () => sql`measures = found.measures,`)}
      commit_hash = ${commit}, changelist = ${changelist},
      kind = found.kind, shelf = coalesce(${reported.shelf ?? null}, b.shelf),
      pull_request = coalesce(${reported.pull_request ?? null}, b.pull_request),
      head_repository = coalesce(${reported.head_repository ?? null}, b.head_repository),
      target_branch = coalesce(${reported.target_branch ?? null}, b.target_branch),
      branch = ${named.branch}, repository = ${repository}, inferred_branch = found.inferred_branch, url = coalesce(${reported.url ?? null}, b.url),
      upstream_job = coalesce(${upstream?.job ?? null}, b.upstream_job), upstream_number = coalesce(${upstream?.number ?? null}, b.upstream_number),
      phase = coalesce(${reported.phase ?? null}, b.phase), progressed_at = ${progressed(reported)},
      lost_at = null,
      begin_received_at = found.begin_received_at, time_note = coalesce(${note}, b.time_note),
      started_at = found.started_at, finished_at = found.finished_at, duration_seconds = case when found.finished_at is null then b.duration_seconds
        else coalesce(${reported.duration_seconds === undefined ? null : Math.round(reported.duration_seconds)}::integer, ${secondsBetween(sql`found.started_at`, sql`found.finished_at`)}) end,
      ${reported.log === undefined ? sql`` : sql`${replacing(stored(reported.log))},`}
      artifacts = coalesce(${reported.artifacts ? JSON.stringify(reported.artifacts) : null}::jsonb, b.artifacts),
      updated_at = now()
    from found where b.account_id = ${known.account_id} and b.id = ${known.id} returning b.job`)
  return updated!
}

/** Set once, by our own clock. If the first report is also the last, its duration gives the start, whatever its clock said. */
function beganAt({ duration_seconds, started_at, finished_at }: Report, running: boolean, ended: boolean): Sql {
  if (running) return sql`coalesce(b.begin_received_at, goldmaster_now())`
  if (!ended) return sql`b.begin_received_at`
  const between = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : 0
  return sql`coalesce(b.begin_received_at, goldmaster_now() - make_interval(secs => ${Math.max(0, duration_seconds ?? between)}::float8))`
}

/** As reported; a build of a pending changelist is a preflight even if the CI does not say so. */
const kindOf = (kind: BuildKind | undefined, changelist: Sql) => sql`coalesce(${kind ?? null}, case when exists (
  select from changes c where c.account_id = b.account_id and c.project_id = b.project_id and c.source_type = 'Changelist'
    and c.identifier = ${changelist} and c.pending)
  then 'preflight' end, b.kind)`

/** A longer name does not fit into the index, so no build has it. */
const isIndexable = (names: Record<string, string>) =>
  Object.values(names).every((name) => Buffer.byteLength(name) <= IDENTIFIER_MAX)

/** A measure replaces the one with the same name and platform, also one from the log; measures beyond the limit are left out. */
const measured = (measures: Measure[]) => {
  const merged = sql`(coalesce(b.measures, '{}') - ${measures.map(logKeyOf)}::text[] || ${JSON.stringify(byName(measures))}::jsonb)`
  return sql`case when (select count(*) from jsonb_object_keys(${merged})) <= ${MEASURES_MAX} then ${merged} else b.measures end`
}

/** A new phase or more log is progress. Quick successions count as one. */
function progressed({ phase, log }: Report): Sql {
  const moved = log === undefined ? sql`b.phase is distinct from ${phase ?? null}` : sql`true`
  return phase === undefined && log === undefined
    ? sql`b.progressed_at`
    : sql`case when ${moved} and coalesce(b.progressed_at, '-infinity') < now() - interval '1 second' then now() else b.progressed_at end`
}

/** Tools report times from 1970 to 2100; the column holds 68 years. Null if either is unknown: `least` alone would skip a null. */
const secondsBetween = (from: Sql, to: Sql) =>
  sql`case when ${to} - ${from} is not null then greatest(0, least(extract(epoch from ${to} - ${from}), ${INTEGER_MAX}))::integer end`

const writeStep = (db: Database, build: RecordKey, step: Step) =>
  db.execute(sql`
    insert into build_steps as s (account_id, build_run_id, name, status, started_at, finished_at, duration_seconds, detail)
    values (${build.account_id}, ${build.id}, ${step.name}, ${step.status}, ${step.started_at ?? null}, ${step.finished_at ?? null},
      coalesce(${step.duration_seconds === undefined ? null : Math.round(step.duration_seconds)}::integer,
        ${secondsBetween(sql`${step.started_at ?? null}::timestamptz`, sql`${step.finished_at ?? null}::timestamptz`)}), ${step.detail ?? ''})
    on conflict (account_id, build_run_id, name) do update set status = excluded.status,
      started_at = coalesce(excluded.started_at, s.started_at), finished_at = coalesce(excluded.finished_at, s.finished_at),
      duration_seconds = coalesce(excluded.duration_seconds,
        ${secondsBetween(sql`coalesce(excluded.started_at, s.started_at)`, sql`coalesce(excluded.finished_at, s.finished_at)`)}),
      detail = case when excluded.detail = '' then s.detail else excluded.detail end`)

const endStep = (db: Database, build: RecordKey, { name, status, finished_at }: Step) =>
  db.execute(sql`
    update build_steps set status = ${status}, finished_at = coalesce(${finished_at ?? null}::timestamptz, now()),
      duration_seconds = ${secondsBetween(sql`started_at`, sql`coalesce(${finished_at ?? null}::timestamptz, now())`)}
    where account_id = ${build.account_id} and build_run_id = ${build.id} and name = ${name} and status = 'running'`)

/** A passed build waits while an approval of its content is open; one that has passed before an approval was requested waits for none. */
const passedStatus = (commit: Sql, changelist: Sql) => sql`case
  when b.status = 'completed' and (b.commit_hash, b.changelist) = (${commit}, ${changelist}) then 'completed'
  when ${openApproval(commit, changelist)} then 'passed_pending_approval' else 'completed' end`

/** Whether an approval that the build waits for is pending or denied. */
const openApproval = (commit: Sql, changelist: Sql) => sql`exists (
  select from approvals p where p.account_id = b.account_id and p.project_id = b.project_id and p.commit_sha in (${commit}, ${changelist})
    and p.commit_sha <> '' and p.gates
    and p.status in ('pending', 'denied'))`

/** Completes builds that waited only for approvals, once none is open. */
export async function release(db: Database, project: ProjectKey) {
  await lockProject(db, project.project_id)
  await db.execute(sql`
    update build_runs b set status = 'completed', updated_at = now()
    where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and b.status = 'passed_pending_approval' and not b.held
      and not ${openApproval(sql`b.commit_hash`, sql`b.changelist`)}`)
}
