import type { MeasureBudget } from '../../contract/routes/measure-budgets.ts'
import { median } from '../../measures/median.ts'
import { converted, isSize } from '../../measures/units.ts'
import { matchesBranch, matchesPattern } from '../branches/branch-names.ts'
import { type LiveBuild, liveValues } from './live-builds.ts'
import { hasStopped, type Point, type Series } from './series.ts'

/** One outlier does not cross a budget: the median of this many values counts. */
const WINDOW = 3
/** A single value may be the outlier. */
const VALUES_MIN = 2
/** Values under the budget that tell how much they vary. */
const NOISE_VALUES = 20
const NOISE_MIN = 5
/** In standard deviations: a smaller step may be noise, so it is nobody's. */
const STEEP = 3

export interface Crossing {
  /** The highest value that the budget allows. */
  allowed: number
  value: number
  over: boolean
  /** The last value under the budget and the first one over it, if it is over. */
  since: Point | null
  first: Point | null
  /** Whether the step between them is larger than the noise, and the builds differ in nothing but their changes. */
  attributable: boolean
}

const matches = (pattern: string, text: string | null) => pattern === '' || (text !== null && matchesPattern(pattern, text))

export const isBudgeted = (budget: MeasureBudget, series: Series): boolean =>
  matches(budget.measure, series.name) && matches(budget.platform, series.platform) && mayHaveBudgeted(budget, series)

type OfGroup = Record<'job' | 'branch', string> & { configuration: string | null }

/** Whether builds of a group may have a measure that a budget is about. */
export const mayHaveBudgeted = (budget: MeasureBudget, { job, branch, configuration }: OfGroup): boolean =>
  matches(budget.job, job) &&
  matches(budget.configuration, configuration) &&
  (budget.branch === '' || matchesBranch(budget.branch, branch))

const same = (wanted: string, text: string | null) => wanted === '' || wanted.toLowerCase() === (text ?? '').toLowerCase()

/** In the unit of the series. A budget without a unit takes values as they are reported. */
const limitOf = ({ max_value, unit }: MeasureBudget, series: Series): number | null =>
  max_value === null || unit === '' ? max_value : converted(max_value, unit, series.unit)

/**
 * The highest value that is allowed; null if its unit measures something else, or if it depends on a live build that is unknown, or on one
 * of several tracks.
 */
function allowedBy(budget: MeasureBudget, series: Series, live: readonly LiveBuild[]): number | null {
  const limit = limitOf(budget, series)
  const limits: number[] = limit === null ? [] : [limit]
  if (budget.max_growth !== null) {
    const tracks = liveValues(live, series).filter(({ store, track }) => same(budget.store, store) && same(budget.track, track))
    if (tracks.length === 1) limits.push(tracks[0]!.value * (1 + budget.max_growth / 100))
  }
  return limits.length === 0 ? null : Math.min(...limits)
}

/** Whether a series is over its budget, and between which builds it crossed it; null if the budget allows anything for now. */
export function crossingOf(budget: MeasureBudget, series: Series, live: readonly LiveBuild[]): Crossing | null {
  const allowed = allowedBy(budget, series, live)
  if (allowed === null) return null
  const { points } = series
  if (points.length < VALUES_MIN) return null
  const value = levelOf(points.slice(-WINDOW).map((point) => point.value))
  if (value <= allowed) return { allowed, value, over: false, since: null, first: null, attributable: false }
  const isOver = (point: Point | undefined) => point !== undefined && point.value > allowed
  const start = Math.max(0, points.length - WINDOW)
  const firstOver = points.findIndex((point, at) => at >= start && isOver(point))
  // Before the window everything may be over already: then the budget is new.
  let from = firstOver
  while (from > 0 && isOver(points[from - 1])) from--
  const lastOver = points.findLastIndex(isOver)
  const lastUnder = points.findLastIndex((point, at) => at < lastOver && !isOver(point))
  const since = points[from - 1] ?? null
  // A value under it in between: the crossing is anywhere up to the first value after that.
  const first = points[Math.max(from, lastUnder + 1)]!
  const attributable = since !== null && isSteep(points.slice(0, from), first) && areAlike(since, first, series.unit)
  return { allowed, value, over: true, since, first, attributable }
}

/** Another agent changes how long something takes, and another unit how it is measured. */
const areAlike = (one: Point, other: Point, unit: string | null) =>
  one.unit === other.unit && one.built_for === other.built_for && (isSize(unit) || one.agent === other.agent)

/** Of fewer values one may be the outlier: then the lowest counts. */
const levelOf = (values: readonly number[]) => (values.length < WINDOW ? Math.min(...values) : median(values)!)

function isSteep(under: readonly Point[], first: Point): boolean {
  const values = under.slice(-NOISE_VALUES).map(({ value }) => value)
  if (values.length < NOISE_MIN) return false
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
  return first.value - mean >= STEEP * deviation
}

/** The first build without a value, if the measure no longer comes. A log may be read late: only builds that were silent for an hour count. */
export function missingSince(series: Series): { since: Point; first: string } | null {
  const rested = series.without.filter(({ rested }) => rested)
  return hasStopped(series, rested.length) ? { since: series.points.at(-1)!, first: rested[0]!.build_run_id } : null
}
