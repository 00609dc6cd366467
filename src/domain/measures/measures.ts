import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { changePoints } from '../../measures/change-points.ts'
import { median } from '../../measures/median.ts'
import { overBudget } from './alerts.ts'
import type { BuildGroup } from './build-groups.ts'
import { changesBetween } from './changes-between.ts'
import { grownParts } from './grown-parts.ts'
import { type LiveBuild, liveBuilds, liveValues } from './live-builds.ts'
import { groupsFor, hasStopped, type Point, type Series, seriesIn, seriesKey, TREND_BUILDS } from './series.ts'

type Listed = ReplyOf<'listMeasures'>['measures'][number]
type Trend = ReplyOf<'showMeasures'>['trends'][number]
type Jump = NonNullable<Listed['jump']> & { before_build_run_id: string }

/** More than anybody reads in one list. */
const LISTED_MAX = 1_000
const VALUES_LISTED = 40
/** Groups of builds in one list: their builds are read. */
const GROUPS_LISTED = 100
/** Groups that are read for a few trends. */
const GROUPS_SHOWN = 10
const TRENDS_MAX = 10
const RANGES_MAX = 3
/** Earlier values that say what is usual. */
const USUAL = 20

/** Measures that are over their budget, stopped or changed come first, the latest change first. */
export async function list(db: Database, project: ProjectKey, query: QueryOf<'listMeasures'>): Promise<ReplyOf<'listMeasures'>> {
  const { groups, complete } = await groupsFor(db, project, query)
  const all = await seriesIn(db, project, groups.slice(0, GROUPS_LISTED), query)
  const [live, over] = [await liveBuilds(db, project), await overBudget(db, project)]
  const rows = all.map((series) => {
    const jumps = jumpsOf(series)
    const jump = jumps.at(-1) ?? null
    const since = series.points.findIndex(({ build_run_id }) => build_run_id === jump?.first_build_run_id)
    const row: Listed = {
      ...shared(series, live, over),
      values: series.points.slice(-VALUES_LISTED).map(({ value }) => value),
      jump: jump && shown(jump),
    }
    return { row, changed_at: series.points[since]?.measured_at ?? '' }
  })
  rows.sort(
    (a, b) =>
      Number(b.row.over_budget) - Number(a.row.over_budget) ||
      Number(b.row.stopped) - Number(a.row.stopped) ||
      compared(b.changed_at, a.changed_at) ||
      compared(seriesKey(a.row), seriesKey(b.row)),
  )
  return {
    measures: rows.slice(0, LISTED_MAX).map(({ row }) => row),
    has_more: !complete || groups.length > GROUPS_LISTED || rows.length > LISTED_MAX,
  }
}

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** A few measures with all values, and the changes between the builds of each step. */
export async function show(db: Database, project: ProjectKey, query: QueryOf<'showMeasures'>): Promise<ReplyOf<'showMeasures'>> {
  const { all, complete } = await asked(db, project, query)
  const [live, over] = [await liveBuilds(db, project), await overBudget(db, project)]
  const trends: Trend[] = []
  for (const series of all.slice(0, TRENDS_MAX)) {
    const jumps = jumpsOf(series)
    const causes = new Map<Jump, Pick<Trend['jumps'][number], 'range' | 'grown'>>()
    for (const jump of jumps.slice(-RANGES_MAX)) causes.set(jump, await causeOf(db, project, series, jump))
    trends.push({
      ...shared(series, live, over),
      values: series.points.map(pointOf),
      jumps: jumps.map((jump) => ({ ...shown(jump), ...(causes.get(jump) ?? { range: null, grown: [] }) })),
    })
  }
  return { trends, has_more: !complete || all.length > TRENDS_MAX }
}

/** The series that a filter asks for: of many groups only those that have the measure are read as far back as a page shows. */
async function asked(db: Database, project: ProjectKey, query: QueryOf<'showMeasures'>) {
  const { groups, complete } = await groupsFor(db, project, query)
  const read = groups.slice(0, GROUPS_LISTED)
  const has = async () => {
    const series = await seriesIn(db, project, read, query)
    const isOf = (group: BuildGroup) =>
      series.some(
        ({ job, branch, configuration }) =>
          job === group.job && branch === group.branch && (configuration ?? '') === group.configuration,
      )
    return read.filter(isOf)
  }
  const those = read.length <= GROUPS_SHOWN ? read : await has()
  const all = await seriesIn(db, project, those.slice(0, GROUPS_SHOWN), query, TREND_BUILDS)
  return { all, complete: complete && groups.length <= GROUPS_LISTED && those.length <= GROUPS_SHOWN }
}

const pointOf = ({ build_run_id, build_number, value, measured_at }: Point) => ({
  build_run_id,
  build_number,
  value,
  measured_at,
})

const causeOf = async (db: Database, project: ProjectKey, series: Series, { before_build_run_id: since, ...jump }: Jump) => ({
  range: await changesBetween(db, project, since, jump.last_build_run_id),
  grown: jump.after > jump.before ? await grownParts(db, project.account_id, series, since, jump.last_build_run_id) : [],
})

function shared(series: Series, live: readonly LiveBuild[], over: ReadonlySet<string>) {
  const { name, platform, configuration, unit, job, branch, points, without } = series
  return {
    ...{ name, platform, configuration, unit, job, branch },
    ...pointOf(points.at(-1)!),
    usual: usualOf(points),
    live: liveValues(live, series),
    builds_without: without.length,
    stopped: hasStopped(series, without.length),
    over_budget: over.has(seriesKey(series)),
  }
}

/** What is usual before the last value. */
export const usualOf = (points: readonly Point[]): number | null => median(points.slice(-1 - USUAL, -1).map(({ value }) => value))

/** The lasting steps of a series, oldest first, each with the last build before it. */
export function jumpsOf({ points }: Pick<Series, 'points'>): Jump[] {
  return changePoints(points.map(({ value }) => value))
    .filter(({ withdrawn }) => withdrawn === undefined)
    .map(({ before, after, first, last }) => ({
      before,
      after,
      before_build_run_id: points[first - 1]!.build_run_id,
      first_build_run_id: points[first]!.build_run_id,
      last_build_run_id: points[last]!.build_run_id,
    }))
}

export const shown = ({ before_build_run_id, ...jump }: Jump) => jump
