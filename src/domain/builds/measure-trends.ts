import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { changePoints } from '../../measures/change-points.ts'
import { PASSED } from '../branches/build-statuses.ts'
import { BRANCH } from '../branches/positions.ts'
import type { Measure } from './measures.ts'

type Trend = ReplyOf<'showBuildMeasures'>['measures'][number]

/** Builds that are compared, the newest. */
const BUILDS_MAX = 150
/** Earlier builds that say what is usual. */
const USUAL_BUILDS = 20

interface Measured {
  id: string
  build_number: string
  measures: Measure[]
}

/** The measures of a build in the last passed builds of its job and branch. */
export async function ofBuild(
  db: Database,
  { account_id, project_id }: ProjectKey,
  id: number | undefined,
): Promise<ReplyOf<'showBuildMeasures'>> {
  const builds = await db.rows<Measured>(sql`
    with mine as (
      select b.*, ${BRANCH} as built_branch from build_runs b where account_id = ${account_id} and project_id = ${project_id} and id = ${id ?? null})
    select mine.id::text, mine.build_number, (select json_agg(m.value order by m.key) from jsonb_each(mine.measures) m) as measures
    from mine
    union all (
    select b.id::text, b.build_number, (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m)
    from mine cross join lateral (
      select * from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and ${BRANCH} = mine.built_branch and b.ci_job_name = mine.ci_job_name
        and b.kind = 'regular' and b.status in ${PASSED} and (b.created_at, b.id) < (mine.created_at, mine.id)
      order by b.created_at desc, b.id desc limit ${BUILDS_MAX}) b
    where b.measures is not null
    order by b.created_at desc, b.id desc)`)
  const [build, ...earlier] = builds
  if (!build) throw notFound('Build run')
  const series = [...earlier.reverse(), build]
  return { measures: (build.measures ?? []).map((measure) => trendOf(measure, series)) }
}

function trendOf(measure: Measure, builds: readonly Measured[]): Trend {
  const values = builds.flatMap(({ id, build_number, measures }) => {
    const same = measures.find(({ name, platform }) => name === measure.name && platform === measure.platform)
    return same === undefined || same.unit !== measure.unit ? [] : [{ build_run_id: id, build_number, value: same.value }]
  })
  const jumps = changePoints(values.map(({ value }) => value))
    .filter(({ withdrawn }) => withdrawn === undefined)
    .map(({ before, after, first, last }) => ({
      before,
      after,
      first_build_run_id: values[first]!.build_run_id,
      last_build_run_id: values[last]!.build_run_id,
    }))
  return { ...measure, usual: medianOf(values.slice(0, -1).slice(-USUAL_BUILDS)), values, jumps }
}

function medianOf(values: readonly { value: number }[]): number | null {
  const sorted = values.map(({ value }) => value).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}
