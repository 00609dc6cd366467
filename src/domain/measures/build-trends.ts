import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { converted } from '../../measures/units.ts'
import { BRANCH } from '../branches/positions.ts'
import { CONFIGURATION, PLATFORM } from '../builds/builds.ts'
import type { Measure } from '../builds/measures.ts'
import { type BuildGroup, newestOf } from './build-groups.ts'
import { jumpsOf, shown, usualOf } from './measures.ts'
import { type MeasuredBuild, measuredBuilds, seriesOf, TREND_BUILDS } from './series.ts'

type Trend = ReplyOf<'showBuildMeasures'>['measures'][number]

interface Asked extends BuildGroup {
  id: string
  at: string
  platform: string
  measures: Measure[] | null
}

/** The measures of a build in the passed builds like it, up to the build. */
export async function ofBuild(db: Database, project: ProjectKey, id: number | undefined): Promise<ReplyOf<'showBuildMeasures'>> {
  const { account_id, project_id } = project
  const build = await db.one<Asked>(sql`
    select b.id::text, b.created_at::text as at, b.ci_job_name as job, ${BRANCH} as branch, coalesce(${PLATFORM}, '') as platform,
      coalesce(${CONFIGURATION}, '') as configuration, (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m) as measures
    from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id} and b.id = ${id ?? null}`)
  if (!build) throw notFound('Build run')
  if (build.measures === null) return { measures: [] }
  const earlier = newestOf(project, [build], TREND_BUILDS, build)
  // A failed build and a preflight are none of them.
  const builds = await measuredBuilds(
    db,
    project,
    sql`
    select * from (${earlier}) e union all select ${build.job}, ${build.branch}, ${build.platform}, ${build.configuration}, 1, ${build.id}::bigint, 0
    where not exists (select from (${earlier}) e where e.id = ${build.id}::bigint)`,
  )
  const upTo = builds.slice(0, builds.findIndex((one) => one.id === build.id) + 1)
  return { measures: build.measures.map((measure) => trendOf(measure, build, upTo)) }
}

function trendOf(measure: Measure, { id, platform }: Asked, builds: readonly MeasuredBuild[]): Trend {
  const wanted = measure.platform ?? (platform || null)
  const series = seriesOf(builds).find(
    (one) => one.name === measure.name && one.platform === wanted && one.points.at(-1)!.build_run_id === id,
  )!
  const points = series.points.map((point) => ({ ...point, value: converted(point.value, series.unit, measure.unit)! }))
  return {
    ...measure,
    usual: usualOf(points),
    values: points.map(({ build_run_id, build_number, value }) => ({ build_run_id, build_number, value })),
    jumps: jumpsOf({ points }).map(shown),
  }
}
