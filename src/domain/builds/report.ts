import { ID_MAX } from '../../contract/params.ts'
import type { BuildStatus, BuildType, TargetType } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { buildTypeOf, type Place } from '../integrations/place.ts'
import * as links from '../tasks/links.ts'
import { kept, sent } from './logs.ts'
import { shareTurn, takeTurn } from './turns.ts'

/** What a tool says about a build; the first name that finds one wins. */
interface Report {
  build: { build_run_id?: number; external_id?: string; job?: string; number?: string; commit?: string }
  status?: BuildStatus
  held?: true
  anywhere?: true
  existing?: true
  build_type?: BuildType
  target_type?: TargetType
  commit_hash?: string
  changelist?: string
  branch?: string
  url?: string
  phase?: string
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  log?: string
  steps?: Step[]
  artifacts?: { name: string; size_bytes: number | null; url: string }[]
  at?: string
}
interface Step {
  name: string
  status: string
  started_at?: string
  finished_at?: string
  duration_seconds?: number
  detail?: string
  /** Ends the step where it runs; never makes one, never turns a failed one. */
  ends?: true
}

interface Known {
  id: number
  status: BuildStatus
}

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
 * Makes the build or moves it on; a report from before what is known has no effect. Undefined: a report about no build we know.
 * `alone`: it is all that its transaction records.
 */
export async function report(db: Database, place: Place, told: Report, alone = false): Promise<Reported> {
  await (alone ? shareTurn(db, place.project_id, namesOf(told)) : takeTurn(db, place.project_id))
  const known = (await find(db, place, told)) ?? (told.existing ? undefined : await make(db, place, told))
  if (known === undefined) return undefined
  if (told.status !== undefined && RANK[told.status] < RANK[known.status]) return { id: known.id, effect: 'stale' }
  await update(db, known, told)
  for (const step of told.steps ?? []) await (step.ends ? endStep : writeStep)(db, known.id, step)
  await links.linkBuild(db, known.id)
  return { id: known.id, effect: 'processed' }
}

/** By which a build is found or else made, and which it may take on: whatever the job or the integration, to be on the safe side. */
const namesOf = ({ build: { number, external_id } }: Report) => [
  ...(number === undefined ? [] : [`number ${number}`]),
  ...(external_id === undefined ? [] : [`external ${external_id}`]),
]

/** The build the report is about, locked until its delivery is recorded. */
async function find(
  db: Database,
  place: Place,
  { build, anywhere, commit_hash, changelist }: Report,
): Promise<Known | undefined> {
  const where = async (condition: Sql) =>
    db.one<Known>(sql`
      select id, status from build_runs where project_id = ${place.project_id} and ${condition}
      order by created_at desc, id desc limit 1 for update`)
  const ours = sql`integration_id = ${place.integration_id}`
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
      (anywhere ? await where(build.job === undefined ? sql`build_number = ${build.number}` : numbered) : undefined)
    if (found) return found
  }
  if (build.job !== undefined && build.number !== undefined && (commit_hash || changelist))
    return where(sql`${ours} and ci_job_name = ${build.job} and build_number = ''
      and ((commit_hash <> '' and commit_hash = ${commit_hash ?? ''}) or (changelist <> '' and changelist = ${changelist ?? ''}))`)
  if (build.commit !== undefined)
    return where(sql`${anywhere ? sql`true` : ours} and commit_hash = ${build.commit} and commit_hash <> ''`)
  return undefined
}

/** The tool's own id for the build, unless it went to a build of another number: job and number decide. */
const untaken = (integration: Sql, { build }: Report) => sql`case when not exists (select from build_runs o
  where o.integration_id = ${integration} and o.external_id = ${build.external_id ?? null}) then ${build.external_id ?? null}::text end`

/** A build without a number takes the one it is called by, unless another build of that job bears it. */
const numbered = (number: string) => sql`case when b.build_number = '' and not exists (
  select from build_runs o where o.integration_id = b.integration_id and o.ci_job_name = b.ci_job_name and o.build_number = ${number})
  then ${number} else b.build_number end`

/** Two first reports at the same instant make one build: the second waits for the first and finds its row. */
async function make(db: Database, place: Place, told: Report): Promise<Known | undefined> {
  const made = await db.one<Known>(sql`
    insert into build_runs (account_id, project_id, integration_id, external_id, status, build_type, target_type, ci_job_name, build_number,
      created_at)
    values (${place.account_id}, ${place.project_id}, ${place.integration_id}, ${untaken(sql`${place.integration_id}`, told)}, 'queued',
      ${told.build_type ?? buildTypeOf(place.engine)}, ${told.target_type ?? 'development'}, ${told.build.job ?? ''}, ${told.build.number ?? ''}, now())
    on conflict do nothing returning id, status`)
  return made ?? find(db, place, told)
}

/** Tells the fields that were told; times follow from the state where the tool gave none. The end alone does not tell the beginning. */
async function update(db: Database, known: Known, told: Report): Promise<void> {
  const at = told.at ?? null
  const status = told.status ?? known.status
  // A build that passed waits while an approval of what went into it is open.
  const passed = told.status === 'completed'
  const commit = sql`coalesce(${told.commit_hash ?? null}, b.commit_hash)`
  const changelist = sql`coalesce(${told.changelist ?? null}, b.changelist)`
  const rank = told.status === undefined ? 0 : RANK[told.status]
  const [running, ended] = [rank > 0 && rank < FINAL, rank === FINAL]
  const seconds = sql`make_interval(secs => ${told.duration_seconds ?? null}::float8)`
  const log = told.log === undefined ? null : sent(told.log)
  await db.count(sql`
    update build_runs b set status = ${passed ? sql`case when ${openApproval(commit, changelist)} then 'passed_pending_approval' else 'completed' end` : status}, held = ${told.held ?? false},
      external_id = coalesce(b.external_id, ${untaken(sql`b.integration_id`, told)}),
      build_number = ${numbered(told.build.number ?? '')},
      build_type = coalesce(${told.build_type ?? null}, b.build_type), target_type = coalesce(${told.target_type ?? null}, b.target_type),
      commit_hash = ${commit}, changelist = ${changelist},
      branch = coalesce(${told.branch ?? null}, b.branch), url = coalesce(${told.url ?? null}, b.url),
      phase = coalesce(${told.phase ?? null}, b.phase),
      started_at = coalesce(${told.started_at ?? null}::timestamptz, b.started_at, case when ${running} then coalesce(${at}::timestamptz, now())
        when ${ended} then coalesce(${told.finished_at ?? at}::timestamptz, now()) - ${seconds} end),
      finished_at = case when ${ended} then coalesce(${told.finished_at ?? at}::timestamptz,
          ${told.started_at ?? null}::timestamptz + ${seconds}, b.finished_at, now())
        when ${told.status !== undefined} then null else b.finished_at end,
      output_log = coalesce(${kept(sql`${log}::text`)}, b.output_log),
      artifacts = coalesce(${told.artifacts ? JSON.stringify(told.artifacts) : null}::jsonb, b.artifacts),
      updated_at = now()
    where b.id = ${known.id}`)
  await db.count(sql`
    update build_runs set duration_seconds = coalesce(${told.duration_seconds === undefined ? null : Math.round(told.duration_seconds)}::integer,
      ${secondsBetween(sql`started_at`, sql`finished_at`)})
    where id = ${known.id} and finished_at is not null`)
}

/** Tools tell times from 1970 to 2100; the column holds 68 years. Unknown while either is: `least` alone would pass over a null. */
const secondsBetween = (from: Sql, to: Sql) =>
  sql`case when ${to} - ${from} is not null then least(extract(epoch from ${to} - ${from}), ${ID_MAX})::integer end`

const writeStep = (db: Database, buildId: number, step: Step) =>
  db.count(sql`
    insert into build_steps as s (build_run_id, name, status, started_at, finished_at, duration_seconds, detail)
    values (${buildId}, ${step.name}, ${step.status}, ${step.started_at ?? null}, ${step.finished_at ?? null},
      ${step.duration_seconds === undefined ? null : Math.round(step.duration_seconds)}, ${step.detail ?? ''})
    on conflict (build_run_id, name) do update set status = excluded.status,
      started_at = coalesce(excluded.started_at, s.started_at), finished_at = coalesce(excluded.finished_at, s.finished_at),
      duration_seconds = coalesce(excluded.duration_seconds,
        ${secondsBetween(sql`coalesce(excluded.started_at, s.started_at)`, sql`coalesce(excluded.finished_at, s.finished_at)`)}),
      detail = case when excluded.detail = '' then s.detail else excluded.detail end`)

const endStep = (db: Database, buildId: number, { name, status, finished_at }: Step) =>
  db.count(sql`
    update build_steps set status = ${status}, finished_at = coalesce(${finished_at ?? null}::timestamptz, now()),
      duration_seconds = ${secondsBetween(sql`started_at`, sql`coalesce(${finished_at ?? null}::timestamptz, now())`)}
    where build_run_id = ${buildId} and name = ${name} and status = 'running'`)

/** Whether somebody has yet to approve what went into a build, or has said no. */
const openApproval = (commit: Sql, changelist: Sql) => sql`exists (
  select from approvals p where p.project_id = b.project_id and p.commit_sha in (${commit}, ${changelist}) and p.commit_sha <> ''
    and p.status in ('pending', 'denied'))`

/** Builds that waited for nothing but approvals are done when none is open any more. */
export async function release(db: Database, projectId: number) {
  await takeTurn(db, projectId)
  await db.count(sql`
    update build_runs b set status = 'completed', updated_at = now()
    where b.project_id = ${projectId} and b.status = 'passed_pending_approval' and not b.held
      and not ${openApproval(sql`b.commit_hash`, sql`b.changelist`)}`)
}
