import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { BRANCH } from '../branches/positions.ts'
import { CONFIGURATION, PLATFORM } from '../builds/builds.ts'
import { asShown } from '../privacy/scrub.ts'

/** Passed builds that are alike: only their numbers can be compared. Empty: unknown. */
export interface BuildGroup {
  job: string
  branch: string
  platform: string
  configuration: string
}

export interface GroupFilter {
  job?: string | undefined
  branch?: string | undefined
  configuration?: string | undefined
}

/** More groups than are looked at, however few of them a filter leaves. */
const WALK_MAX = 5_000

/** As in the index `build_runs_alike`. */
const OF_PLATFORM = sql`coalesce(${PLATFORM}, '')`
const OF_CONFIGURATION = sql`coalesce(${CONFIGURATION}, '')`
const IS_MEASURED = sql`case when b.measures is null then 0 else 1 end`
const KEY = sql`b.ci_job_name, ${BRANCH}, ${OF_PLATFORM}, ${OF_CONFIGURATION}`

const isAlike = ({ account_id, project_id }: ProjectKey, measured: 0 | 1) => sql`
  b.account_id = ${account_id} and b.project_id = ${project_id} and b.kind = 'regular' and b.verdict = 'passed'
    and ${IS_MEASURED} = ${measured === 1 ? sql`1` : sql`0`}`

/**
 * The groups of a project that have measures, those with the newest builds first. A loose index scan: the cost depends on the number of
 * groups, not builds. `complete`: false if there are more than are looked at.
 */
export async function groupsOf(
  db: Database,
  project: ProjectKey,
  { job, branch, configuration }: GroupFilter,
): Promise<{ groups: BuildGroup[]; complete: boolean }> {
  const next = (after: Sql) => sql`
    select b.ci_job_name as job, ${BRANCH} as branch, ${OF_PLATFORM} as platform, ${OF_CONFIGURATION} as configuration, b.created_at as at
    from build_runs b where ${isAlike(project, 1)} ${when(job, (name) => sql`and b.ci_job_name = ${asShown(name)}`)} ${after}
    order by ${KEY}, b.created_at desc, b.id desc limit 1`
  const walked = await db.rows<BuildGroup & { matches: boolean }>(sql`
    with recursive walk as (
      select * from (${next(empty)}) first
      union all
      select n.* from walk w cross join lateral (${next(sql`and (${KEY}) > (w.job, w.branch, w.platform, w.configuration)`)}) n)
    select job, branch, platform, configuration,
      true ${when(branch, (name) => sql`and branch = ${asShown(branchKey(name))}`)}
        ${when(configuration, (name) => sql`and configuration = ${name}`)} and not exists (
        select from branches d where d.account_id = ${project.account_id} and d.project_id = ${project.project_id} and d.name = w.branch
          and d.deleted_at is not null) as matches
    from (select * from walk limit ${WALK_MAX}) w order by at desc, job, branch, platform, configuration`)
  return {
    groups: walked.filter(({ matches }) => matches).map(({ matches, ...group }) => group),
    complete: walked.length < WALK_MAX,
  }
}

/**
 * The newest measured builds of each group, and those without measures since the oldest of them, each with its key and `nth`, its number from
 * the newest on. `until`: a build whose later ones are left out.
 */
export function newestOf(
  project: ProjectKey,
  groups: readonly BuildGroup[],
  count: number,
  until?: { at: string; id: string },
): Sql {
  const some = (measured: 0 | 1, since: Sql) => sql`
    select b.id, b.created_at from build_runs b
    where ${isAlike(project, measured)} and b.ci_job_name = g.job and ${BRANCH} = g.branch and ${OF_PLATFORM} = g.platform
      and ${OF_CONFIGURATION} = g.configuration ${since}
      ${when(until, ({ at, id }) => sql`and (b.created_at, b.id) <= (${at}::timestamptz, ${id}::bigint)`)}
    order by b.created_at desc, b.id desc limit ${count}`
  const column = (name: keyof BuildGroup) => sql`${groups.map((group) => group[name])}::text[]`
  return sql`
    select g.*, b.id, row_number() over (partition by g.nr order by b.created_at desc, b.id desc) as nth
    from unnest(${column('job')}, ${column('branch')}, ${column('platform')}, ${column('configuration')})
      with ordinality g (job, branch, platform, configuration, nr), lateral (
      with measured as (${some(1, empty)})
      select * from measured union all (${some(0, sql`and b.created_at >= (select min(created_at) from measured)`)})) b`
}
