import { buildPlatformOf } from '../../contract/spellings/build-dimensions.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { PASSED } from '../branches/build-statuses.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'
import { PLATFORM } from '../builds/builds.ts'
import type { Measure } from '../builds/measures.ts'
import { asShown } from '../privacy/scrub.ts'

/** The newest passed builds that are read. */
const BUILDS_MAX = 1_000
/** The newest values of a series that are compared. */
const VALUES_MAX = 150

export interface MeasureFilter {
  name?: string | undefined
  job?: string | undefined
  branch?: string | undefined
  platform?: string | undefined
}

export interface Point {
  build_run_id: string
  build_number: string
  value: number
  measured_at: string
}

export interface Series {
  name: string
  platform: string | null
  unit: string | null
  job: string
  branch: string
  /** In the order of the builds on their branch, oldest first; never empty. */
  points: Point[]
  /** The longest row of passed builds between two values that had none. */
  longest_gap: number
  /** The passed builds since the last value. */
  without: { build_run_id: string; rested: boolean }[]
}

export const seriesKey = ({ job, branch, name, platform }: Pick<Series, 'job' | 'branch' | 'name' | 'platform'>) =>
  JSON.stringify([job, branch, name, platform])

interface Build {
  id: string
  build_number: string
  job: string
  branch: string
  platform: string | null
  built_at: string
  /** Nothing was reported on it for an hour: its log has been read. */
  rested: boolean
  measures: Measure[] | null
}

/** The measures of the newest passed builds, a series for each job, branch, platform and name. */
export async function seriesOf(db: Database, { account_id, project_id }: ProjectKey, filter: MeasureFilter): Promise<Series[]> {
  const builds = await db.rows<Build>(sql`
    with newest as (
      select b.* from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and b.kind = 'regular' and b.status in ${PASSED}
        ${when(filter.job, (job) => sql`and b.ci_job_name = ${asShown(job)}`)}
        ${when(filter.branch, (branch) => sql`and ${BRANCH} = ${asShown(branchKey(branch))}`)}
      order by b.created_at desc, b.id desc limit ${BUILDS_MAX})
    select b.id::text, b.build_number, b.ci_job_name as job, ${BRANCH} as branch, ${PLATFORM} as platform, iso(b.created_at) as built_at,
      coalesce(b.heard_at, b.created_at) < goldmaster_now() - interval '1 hour' as rested, (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m) as measures
    from newest b order by ${inOrder(positionOn(BRANCH))}`)
  const wanted = filter.platform === undefined ? undefined : buildPlatformOf(filter.platform)
  const places = new Map<string, Build[]>()
  for (const build of builds) {
    const place = JSON.stringify([build.job, build.branch])
    const others = places.get(place)
    if (others) others.push(build)
    else places.set(place, [build])
  }
  return [...places.values()]
    .flatMap(seriesOfJob)
    .filter(
      ({ name, platform }) =>
        (filter.name === undefined || filter.name === name) && (wanted === undefined || wanted === platform),
    )
}

/** Every series of the builds of one job and branch. */
function seriesOfJob(builds: readonly Build[]): Series[] {
  const { job, branch } = builds[0]!
  const all = new Map<string, Series>()
  for (const build of builds) {
    const given = new Set<Series>()
    for (const measure of build.measures ?? []) {
      // A measure without its own platform is about that of the build.
      const platform = measure.platform ?? build.platform
      const key = JSON.stringify([measure.name, platform])
      const known = all.get(key)
      const series = known ?? {
        name: measure.name,
        platform,
        unit: measure.unit,
        job,
        branch,
        points: [],
        longest_gap: 0,
        without: [],
      }
      // Values in another unit cannot be compared.
      if (series.unit !== measure.unit) Object.assign(series, { unit: measure.unit, points: [], longest_gap: 0, without: [] })
      series.points.push({
        build_run_id: build.id,
        build_number: build.build_number,
        value: measure.value,
        measured_at: build.built_at,
      })
      series.longest_gap = Math.max(series.longest_gap, series.without.length)
      series.without = []
      all.set(key, series)
      given.add(series)
    }
    for (const series of all.values())
      if (!given.has(series)) series.without.push({ build_run_id: build.id, rested: build.rested })
  }
  return [...all.values()].map((series) => ({ ...series, points: series.points.slice(-VALUES_MAX) }))
}

const GAP_MIN = 3
const VALUES_MIN = 5

/** Whether a measure that came regularly no longer comes: more than twice the longest pause it ever made. */
export const hasStopped = ({ points, longest_gap }: Series, without: number): boolean =>
  points.length >= VALUES_MIN && without >= GAP_MIN && without > 2 * longest_gap

/** The median; the lower one of two. */
export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}
