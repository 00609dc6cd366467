import { buildPlatformOf, configurationOf } from '../../contract/spellings/build-dimensions.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { converted } from '../../measures/units.ts'
import { BRANCH, inOrder, positionOn } from '../branches/positions.ts'
import type { Measure } from '../builds/measures.ts'
import { type BuildGroup, groupsOf, newestOf } from './build-groups.ts'

/** The newest builds of each group that lists, budgets and the rule for missing measures look at. */
export const RECENT_BUILDS = 40
/** Those that the page of a measure shows. */
export const TREND_BUILDS = 150

export interface MeasureFilter {
  name?: string | undefined
  job?: string | undefined
  branch?: string | undefined
  platform?: string | undefined
  configuration?: string | undefined
}

export interface Point {
  build_run_id: string
  build_number: string
  /** In the unit of the series. */
  value: number
  /** As it was reported. */
  unit: string | null
  measured_at: string
  agent: string
  built_for: string | null
}

/** The values of a measure in builds that are alike. */
export interface Series {
  name: string
  platform: string | null
  configuration: string | null
  /** Of its newest value; the others are converted. */
  unit: string | null
  job: string
  branch: string
  /** In the order of the builds on their branch, oldest first; never empty. */
  points: Point[]
  /** The longest row of recent builds between two values that had none. */
  longest_gap: number
  /** The builds since the last value. */
  without: { build_run_id: string; rested: boolean }[]
}

type SeriesKey = Pick<Series, 'job' | 'branch' | 'name' | 'platform' | 'configuration'>
export const seriesKey = ({ job, branch, name, platform, configuration }: SeriesKey) =>
  JSON.stringify([job, branch, name, platform, configuration])

export interface MeasuredBuild {
  id: string
  build_number: string
  job: string
  branch: string
  platform: string | null
  configuration: string | null
  agent: string
  built_at: string
  /** It ended an hour ago: its log has been read. */
  rested: boolean
  is_recent: boolean
  measures: Measure[] | null
}

/** The builds `n` in the order of their branch. */
export const measuredBuilds = (db: Database, { account_id }: ProjectKey, newest: Sql, name?: string): Promise<MeasuredBuild[]> =>
  db.rows(sql`
    select b.id::text, b.build_number, n.job, n.branch, nullif(n.platform, '') as platform, nullif(n.configuration, '') as configuration,
      b.agent, iso(b.created_at) as built_at, n.nth <= ${RECENT_BUILDS} as is_recent,
      b.happened_at < goldmaster_now() - interval '1 hour' as rested,
      (select json_agg(m.value order by m.key) from jsonb_each(b.measures) m ${when(name, (one) => sql`where m.value ->> 'name' = ${one}`)}) as measures
    from (${newest}) n join build_runs b on b.account_id = ${account_id} and b.id = n.id
    order by n.job, n.branch, ${inOrder(positionOn(BRANCH))}`)

/** The series of some groups. */
export async function seriesIn(
  db: Database,
  project: ProjectKey,
  groups: readonly BuildGroup[],
  filter: MeasureFilter = {},
  count = RECENT_BUILDS,
): Promise<Series[]> {
  if (groups.length === 0) return []
  const builds = await measuredBuilds(db, project, newestOf(project, groups, count), filter.name)
  const platform = filter.platform === undefined ? undefined : buildPlatformOf(filter.platform)
  return seriesOf(builds).filter((series) => platform === undefined || series.platform === platform)
}

/** The groups that a filter of measures asks for. */
export const groupsFor = (db: Database, project: ProjectKey, { job, branch, configuration }: MeasureFilter) =>
  groupsOf(db, project, { job, branch, configuration: configuration && configurationOf(configuration) })

interface Collected extends Series {
  /** The platforms of the builds that had a value: builds for others have none. */
  built_for: Set<string | null>
}

/** Every series of these builds, which are in order. */
export function seriesOf(builds: readonly MeasuredBuild[]): Series[] {
  const all = new Map<string, Map<string, Collected>>()
  for (const build of builds) {
    const place = JSON.stringify([build.job, build.branch, build.configuration])
    const here = all.get(place) ?? new Map<string, Collected>()
    all.set(place, here)
    const measured = new Set((build.measures ?? []).map((measure) => add(here, build, measure)))
    if (build.is_recent)
      for (const series of here.values())
        if (!measured.has(series) && series.built_for.has(build.platform))
          series.without.push({ build_run_id: build.id, rested: build.rested })
  }
  return [...all.values()].flatMap((here) => [...here.values()].map(inOneUnit))
}

function add(here: Map<string, Collected>, build: MeasuredBuild, { name, value, unit, ...measure }: Measure): Collected {
  // A measure without its own platform is about that of the build.
  const platform = measure.platform ?? build.platform
  const key = JSON.stringify([name, platform])
  const { job, branch, configuration } = build
  const series = here.get(key) ?? {
    ...{ name, platform, configuration, unit, job, branch, points: [], longest_gap: 0, without: [] },
    built_for: new Set(),
  }
  here.set(key, series)
  series.built_for.add(build.platform)
  series.points.push({
    build_run_id: build.id,
    build_number: build.build_number,
    ...{ value, unit },
    measured_at: build.built_at,
    agent: build.agent,
    built_for: build.platform,
  })
  series.longest_gap = Math.max(series.longest_gap, series.without.length)
  series.without = []
  return series
}

/** In the unit of the newest value. What was reported before in a unit that cannot be converted is not compared. */
function inOneUnit({ built_for, ...series }: Collected): Series {
  const { unit } = series.points.at(-1)!
  const values = series.points.map((point) => converted(point.value, point.unit, unit))
  const start = values.lastIndexOf(null) + 1
  return { ...series, unit, points: series.points.slice(start).map((point, at) => ({ ...point, value: values[start + at]! })) }
}

const GAP_MIN = 3
const VALUES_MIN = 5

/** Whether a measure that came regularly no longer comes: more than twice the longest pause it made in recent builds. */
export const hasStopped = ({ points, longest_gap }: Series, without: number): boolean =>
  points.length >= VALUES_MIN && without >= GAP_MIN && without > 2 * longest_gap
