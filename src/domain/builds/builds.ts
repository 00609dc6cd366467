import type { Static } from 'typebox'
import { restAfter } from '../../contract/app/log-mark.ts'
import { notFound } from '../../contract/errors.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { BUILD_STATUSES, BUILD_TYPES, type BuildVerdict, TARGET_TYPES } from '../../contract/sets.ts'
import type { BuildRun } from '../../contract/shapes.ts'
import { buildPlatformOf, configurationOf } from '../../contract/spellings/build-dimensions.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { among, bounded, inlineInteger, type Key, type Listing, ofEveryKind, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { BRANCH } from '../branches/positions.ts'
import { asShown, scrub } from '../privacy/scrub.ts'
import { artifactsOf } from './artifact-list.ts'
import { printed } from './log-stream.ts'
import { silentSince } from './lost.ts'
import { NAMED_SUSPECT } from './named-suspect.ts'
import { newestInvestigation } from './newest-investigation.ts'
import { logOf } from './stored-log.ts'

type Searched = Omit<QueryOf<'searchBuilds'>, 'cursor' | 'q' | 'author'>
type Query = QueryOf<'listBuilds'> &
  Partial<Searched> & {
    cursor?: Key
    ids?: readonly string[] /** Includes the breakage of failed builds. */
    breakages?: boolean
  }
type Detail = ReplyOf<'showBuild'> & {
  artifact_count: number
  breakage_id: string | null
  verdict: BuildVerdict | null
}

/** Of the build `b`, null if unknown. */
export const PLATFORM = sql`build_platform(b.platform, b.inferred_platform)`
export const CONFIGURATION = sql`build_configuration(b.configuration, b.target_type, b.inferred_configuration)`

const columns = (site: string) => sql`
  b.id::text, b.project_id::text, b.status, b.build_type, b.target_type, b.ci_job_name, b.build_number, b.commit_hash, b.changelist,
  b.branch, b.kind, b.phase, ${PLATFORM} as platform, ${CONFIGURATION} as configuration, nullif(b.agent, '') as agent,
  (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m) as measures, b.duration_seconds, iso(b.started_at) as started_at, iso(b.finished_at) as finished_at, iso(b.lost_at) as lost_at,
  iso(b.created_at) as created_at, iso(b.updated_at) as updated_at,
  json_build_object('web', ${site}::text || '/projects/' || b.project_id || '/builds/' || b.id) as urls`

const breakage = sql`(
  select json_build_object('id', k.id::text, 'cause', k.cause,
    'suspect', ${NAMED_SUSPECT})
  from breakage_builds m join breakages k on k.account_id = m.account_id and k.id = m.breakage_id
  where m.account_id = b.account_id and m.build_run_id = b.id)`

/**
 * Newest first; a filter by finish time sorts by that time. Statuses and types are read in parallel from one index and merged; a job, a
 * branch or a time uses its own index, and the other filters apply afterwards.
 */
export const list = (project: ProjectSql, q: Query, site: string): Listing => {
  const at = asksForFinished(q) ? sql`b.finished_at` : sql`b.created_at`
  const order = sql`order by ${at} desc, b.id desc limit ${inlineInteger(q.limit + 1)}`
  const inTime = sql`b.project_id = ${project.project_id} ${asksForFinished(q) ? sql`and b.finished_at is not null` : empty}
    ${when(q.finished_since, (since) => sql`and b.finished_at >= ${since}::timestamptz`)}
    ${when(q.finished_until, (until) => sql`and b.finished_at < ${until}::timestamptz`)}
    ${when(q.cursor, (key) => sql`and (${at}, b.id) < (${key.at}::timestamptz, ${key.id}::bigint)`)}`
  const ofJob = when(q.job, (job) => sql`and b.ci_job_name = ${asShown(job)}`)
  const ofAgent = when(q.agent, (agent) => sql`and b.agent = ${asShown(agent)} and b.agent <> ''`)
  const onBranch = when(q.branch, (branch) => sql`and ${BRANCH} = ${asShown(branchKey(branch))}`)
  const others = sql`${ofJob} ${onBranch} ${when(q.status, (status) => sql`and b.status = ${status}`)}
    ${when(q.build_type, (type) => sql`and b.build_type = ${type}`)} ${when(q.target_type, (type) => sql`and b.target_type = ${type}`)}
    ${when(q.platform, (platform) => sql`and ${PLATFORM} = ${asShown(buildPlatformOf(platform))}`)}
    ${when(q.configuration, (configuration) => sql`and ${CONFIGURATION} = ${asShown(configurationOf(configuration))}`)}
    ${ofAgent}`
  const facets = [
    { column: sql`b.status`, values: BUILD_STATUSES, asked: q.status && [q.status] },
    { column: sql`b.build_type`, values: BUILD_TYPES, asked: q.build_type && [q.build_type] },
    { column: sql`b.target_type`, values: TARGET_TYPES, asked: q.target_type && [q.target_type] },
  ]
  const named = ofChange(project, q)
  const lead = asksForFinished(q) ? empty : q.agent !== undefined ? ofAgent : q.job === undefined ? onBranch : ofJob
  const isLed =
    named === undefined &&
    (asksForFinished(q) || [q.job, q.branch, q.agent, q.platform, q.configuration].some((asked) => asked !== undefined))
  const walk = isLed
    ? bounded({ columns: sql`b.*`, from: sql`build_runs b where ${inTime} ${lead}`, at, id: sql`b.id` })
    : undefined
  const kinds = facets.some(({ asked }, place) => place > 0 && asked) ? facets : facets.slice(0, 1)
  const found = () => {
    if (named) return sql`select b.* from ${named} b where ${inTime} ${others} ${order}`
    if (walk) return sql`select b.* from (${walk.rows}) b where true ${others} ${order}`
    if (facets.every(({ asked }) => asked === undefined)) return sql`select b.* from build_runs b where ${inTime} ${order}`
    return sql`select b.* from (${ofEveryKind(kinds, (kind) => sql`select b.* from build_runs b where ${inTime} and ${kind} ${order}`)}) b ${order}`
  }
  const rows = sql`
    select row_to_json(item) as item, ${at} as key_at, b.id as key_id,
      concat_ws(E'\\n', b.ci_job_name, b.build_number, b.commit_hash, b.changelist, b.branch, b.phase, ${PLATFORM}, ${CONFIGURATION},
        b.agent, b.measures::text
        ${q.breakages ? sql`, item.breakage ->> 'cause', item.breakage -> 'suspect' ->> 'author'` : empty}) as foreign_text
    from (${found()}) b, lateral (select ${columns(site)} ${q.breakages ? sql`, ${breakage} as breakage, b.verdict` : empty}) item`
  return { limit: q.limit, foreign: true, rows, examined: walk?.examined }
}

export const asksForFinished = ({ finished_since, finished_until }: Partial<Searched>): boolean =>
  finished_since !== undefined || finished_until !== undefined

/** The shortest abbreviation of a hash; shorter text must match exactly. */
const HASH_START = 7
const HASH = 40
const LAST_CHARACTER = '\u{10FFFF}'

const isStart = (commit: string) => commit.length >= HASH_START && commit.length < HASH

/**
 * The few builds with these ids, of this change, or with this hash prefix: the barrier keeps the planner from reading all builds for them.
 */
function ofChange(project: ProjectSql, { ids, commit, changelist }: Query): Sql | undefined {
  if (ids === undefined && commit === undefined && changelist === undefined) return undefined
  const hash = (given: string) =>
    isStart(given)
      ? sql`b.commit_hash ~>=~ ${asShown(given)} and b.commit_hash ~<~ ${given + LAST_CHARACTER}`
      : sql`b.commit_hash = ${asShown(given)}`
  return sql`(
    select b.* from ${among(sql`build_runs`, project.account_id, ids, 'bigint')} b where b.project_id = ${project.project_id}
      ${when(commit, (given) => sql`and ${hash(given)} and b.commit_hash <> ''`)}
      ${when(changelist, (given) => sql`and b.changelist = ${asShown(given)} and b.changelist <> ''`)} offset 0)`
}

export async function find(db: Database, project: ProjectKey, id: number | undefined, site: string): Promise<Detail> {
  const found = await db.one<Omit<Detail, 'silent_since'> & { silent_since: string | null }>(sql`
    select ${columns(site)}, files.artifacts, files.artifact_count,
      (select coalesce(json_agg(x), '[]') from (
        select s.name, s.status, iso(s.started_at) as started_at, iso(s.finished_at) as finished_at, s.duration_seconds, s.detail
        from build_steps s where s.account_id = b.account_id and s.build_run_id = b.id order by s.id) x) as steps,
      (select m.breakage_id::text from breakage_builds m where m.account_id = b.account_id and m.build_run_id = b.id) as breakage_id, b.verdict,
      ${silentSince} as silent_since, ${newestInvestigation} as investigation
    from build_runs b cross join lateral (${artifactsOf(site)}) files
    where b.account_id = ${project.account_id} and b.project_id = ${project.project_id} and b.id = ${id ?? 0}`)
  if (!found) throw notFound('Build run')
  const { silent_since, ...build } = found
  return { ...build, ...(silent_since !== null && { silent_since }) }
}

/** The newest build of a project, if there is one. */
export const newest = async (db: Database, project: ProjectKey, site: string): Promise<Static<typeof BuildRun> | null> =>
  (await db.one(sql`
    select ${columns(site)} from build_runs b where b.account_id = ${project.account_id} and b.project_id = ${project.project_id}
      order by b.created_at desc, b.id desc limit 1`)) ?? null

/** The log as far as it was received, addresses shortened. */
async function wholeLog(db: Database, project: ProjectKey, id: number | undefined): Promise<string> {
  const build = await db.one<{ account_id: number; log: string | null; log_object: string | null }>(sql`
    select b.account_id, ${printed} as log, b.log_object from build_runs b where b.account_id = ${project.account_id}
      and b.project_id = ${project.project_id} and b.id = ${id ?? 0}`)
  if (!build) throw notFound('Build run')
  return scrub((await logOf(db, build)) ?? '')
}

/**
 * The log after the part that the caller has, or all of it if that can't be determined. It is scrubbed as a whole: an address that starts
 * in one piece and ends in the next is removed too.
 */
export async function readLogRest(db: Database, project: ProjectKey, id: number, mark: string | undefined) {
  const log = await wholeLog(db, project, id)
  const rest = mark === undefined ? undefined : restAfter(log, mark)
  return rest === undefined ? { text: log, continues: false } : { text: rest, continues: true }
}

/** The log, its last lines, or those that contain a text. */
export async function readLog(
  db: Database,
  project: ProjectKey,
  id: number | undefined,
  { tail, search }: QueryOf<'readBuildLog'>,
): Promise<string> {
  const log = await wholeLog(db, project, id)
  if (tail === undefined && search === undefined) return log
  const ended = log.endsWith('\n') ? log.slice(0, -1) : log
  const lines = ended === '' ? [] : ended.split('\n')
  const kept = search === undefined ? lines : lines.filter((line) => search !== '' && line.includes(search))
  return kept
    .slice(tail === undefined ? 0 : -tail)
    .map((line) => `${line}\n`)
    .join('')
}
