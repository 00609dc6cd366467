import type { MeasureBudget } from '../../contract/routes/measure-budgets.ts'
import { matchesBranch, matchesPattern } from '../branches/branch-names.ts'
import { type LiveBuild, liveValues } from './live-builds.ts'
import { hasStopped, medianOf, type Point, type Series } from './series.ts'

/** One outlier does not cross a budget: the median of this many values counts. */
const WINDOW = 3
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
  /** Whether the step between them is larger than the noise. */
  steep: boolean
}

const matches = (pattern: string, text: string | null) => pattern === '' || (text !== null && matchesPattern(pattern, text))

export const isBudgeted = (budget: MeasureBudget, { name, job, branch, platform }: Series): boolean =>
  matches(budget.measure, name) &&
  matches(budget.job, job) &&
  matches(budget.platform, platform) &&
  (budget.branch === '' || matchesBranch(budget.branch, branch))

const same = (wanted: string, text: string | null) => wanted === '' || wanted.toLowerCase() === (text ?? '').toLowerCase()

/** The highest value that is allowed; null if it depends on a live build that is unknown, or on one of several tracks. */
function allowedBy(budget: MeasureBudget, series: Series, live: readonly LiveBuild[]): number | null {
  const limits: number[] = budget.max_value === null ? [] : [budget.max_value]
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
  const value = medianOf(points.slice(-WINDOW).map((point) => point.value))!
  if (value <= allowed) return { allowed, value, over: false, since: null, first: null, steep: false }
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
  return { allowed, value, over: true, since, first, steep: since !== null && isSteep(points.slice(0, from), first) }
}

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
