import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import type { Database } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { changePoints } from '../../measures/change-points.ts'
import { overBudget } from './alerts.ts'
import { changesBetween } from './changes-between.ts'
import { grownParts } from './grown-parts.ts'
import { type LiveBuild, liveBuilds, liveValues } from './live-builds.ts'
import { hasStopped, medianOf, type Series, seriesKey, seriesOf } from './series.ts'

type Listed = ReplyOf<'listMeasures'>['measures'][number]
type Trend = ReplyOf<'showMeasures'>['trends'][number]
type Jump = NonNullable<Listed['jump']> & { before_build_run_id: string }

/** More than anybody reads in one list. */
const LISTED_MAX = 1_000
const VALUES_LISTED = 40
const TRENDS_MAX = 10
const RANGES_MAX = 3
/** Earlier values that say what is usual. */
const USUAL = 20

/** Measures that are over their budget, stopped or changed come first, the latest change first. */
export async function list(db: Database, project: ProjectKey, query: QueryOf<'listMeasures'>): Promise<ReplyOf<'listMeasures'>> {
  const all = await seriesOf(db, project, query)
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
  return { measures: rows.slice(0, LISTED_MAX).map(({ row }) => row) }
}

const compared = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** A few measures with all values, and the changes between the builds of each step. */
export async function show(db: Database, project: ProjectKey, query: QueryOf<'showMeasures'>): Promise<ReplyOf<'showMeasures'>> {
  const all = await seriesOf(db, project, query)
  const [live, over] = [await liveBuilds(db, project), await overBudget(db, project)]
  const trends: Trend[] = []
  for (const series of all.slice(0, TRENDS_MAX)) {
    const jumps = jumpsOf(series)
    const causes = new Map<Jump, Pick<Trend['jumps'][number], 'range' | 'grown'>>()
    for (const jump of jumps.slice(-RANGES_MAX)) causes.set(jump, await causeOf(db, project, series, jump))
    trends.push({
      ...shared(series, live, over),
      values: series.points,
      jumps: jumps.map((jump) => ({ ...shown(jump), ...(causes.get(jump) ?? { range: null, grown: [] }) })),
    })
  }
  return { trends, has_more: all.length > TRENDS_MAX }
}

const causeOf = async (db: Database, project: ProjectKey, series: Series, { before_build_run_id: since, ...jump }: Jump) => ({
  range: await changesBetween(db, project, since, jump.last_build_run_id),
  grown: jump.after > jump.before ? await grownParts(db, project.account_id, series, since, jump.last_build_run_id) : [],
})

function shared(series: Series, live: readonly LiveBuild[], over: ReadonlySet<string>) {
  const { name, platform, unit, job, branch, points, without } = series
  return {
    ...{ name, platform, unit, job, branch },
    ...points.at(-1)!,
    usual: medianOf(
      points
        .slice(0, -1)
        .slice(-USUAL)
        .map(({ value }) => value),
    ),
    live: liveValues(live, series),
    builds_without: without.length,
    stopped: hasStopped(series, without.length),
    over_budget: over.has(seriesKey(series)),
  }
}

/** The lasting steps of a series, oldest first, each with the last build before it. */
function jumpsOf({ points }: Series): Jump[] {
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

const shown = ({ before_build_run_id, ...jump }: Jump) => jump
