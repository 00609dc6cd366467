import { type Static, Type } from 'typebox'
import { flag, idText, instant, integer, nullable, object, oneOf, ownText, text, uuid } from '../fields.ts'
import * as param from '../params.ts'
import { BREAKAGE_STATES, FAILURE_CATEGORIES, MEASURE_ALERT_KINDS, MEASURE_ALERT_STATES } from '../sets.ts'
import { buildCost, redTime } from './build-cost.ts'
import { MeasureBudget } from './measure-budgets.ts'
import { get, type TokenRoute } from './route.ts'

/** Named numbers of builds over time: a series for each job, branch, platform and configuration. */

const number = Type.Number()

/** A step from one level to another, in one of the builds from the first to the last. */
const jump = { before: number, after: number, first_build_run_id: idText, last_build_run_id: idText }

/** The value of the build that is live on a track, if it is of the same job. */
const Live = object({
  store: nullable(text),
  track: nullable(text),
  version: text,
  deployment_id: uuid,
  build_run_id: idText,
  build_number: text,
  value: number,
})

const series = {
  name: text,
  platform: nullable(text),
  configuration: nullable(text),
  /** Of the newest value; the others are converted. */
  unit: nullable(text),
  job: text,
  branch: text,
  /** The newest value and its build. */
  value: number,
  build_run_id: idText,
  build_number: text,
  measured_at: instant,
  /** The median of up to 20 values before it; null without any. */
  usual: nullable(number),
  /** One for each track with a live build of this job and configuration, the latest first. */
  live: Type.Array(Live),
  /** Passed builds since, without a value. */
  builds_without: integer,
  /** Whether these are many more than were ever without one before. */
  stopped: flag,
  /** Whether it is over a budget. */
  over_budget: flag,
}

export const Measure = object({
  ...series,
  /** The newest 40, oldest first. */
  values: Type.Array(number),
  jump: nullable(object(jump)),
})

const Change = object({ id: integer, display_identifier: text })

/** The changes between two builds: since the first, up to the second. */
export const MeasureRange = object({
  since_build_run_id: idText,
  until_build_run_id: idText,
  /** The newest first, at most 20. */
  changes: Type.Array(Change),
  /** Null if they are not known. */
  count: nullable(integer),
})
export type MeasureRange = Static<typeof MeasureRange>

/** An asset, a container or another part of a measure that grew; `before` is null if it was not listed. */
const GrownPart = object({ path: text, before: nullable(number), after: number, unit: nullable(text) })
export type GrownPart = Static<typeof GrownPart>

/** A measure over its budget, or one that no longer comes. */
const MeasureAlert = object({
  id: idText,
  kind: oneOf(MEASURE_ALERT_KINDS),
  state: oneOf(MEASURE_ALERT_STATES),
  budget: MeasureBudget,
  name: text,
  platform: nullable(text),
  configuration: nullable(text),
  unit: nullable(text),
  job: text,
  branch: text,
  /** The median of the last 3 values when it was opened or settled, and the highest allowed value; null if it is missing. */
  value: nullable(number),
  allowed: nullable(number),
  /** The first build over the budget, or without the measure. */
  build_run_id: idText,
  /** The changes since the last build under the budget. */
  range: nullable(MeasureRange),
  /** The only change of the range and its author, if the step is larger than the noise and the builds differ in nothing else. */
  change_id: nullable(integer),
  user_id: nullable(integer),
  /** What grew most between these builds, if they list sizes. */
  grown: Type.Array(GrownPart),
  opened_at: instant,
  settled_at: nullable(instant),
})

export const MeasureTrend = object({
  ...series,
  /** The newest 150, oldest first. */
  values: Type.Array(object({ build_run_id: idText, build_number: text, value: number, measured_at: instant })),
  /** Oldest first; only the newest 3 have their changes and what grew. */
  jumps: Type.Array(object({ ...jump, range: nullable(MeasureRange), grown: Type.Array(GrownPart) })),
})

const filters = {
  name: param.described(param.text, 'Name of the measure (exact)'),
  job: param.described(param.text, 'Job name (exact)'),
  branch: param.described(param.text, 'Branch or stream of the builds'),
  platform: param.described(param.text, 'Platform, such as Win64 or PS5'),
  configuration: param.described(param.text, 'Configuration, such as Shipping'),
}

export const Costs = object({
  /** From when on builds are counted; at most the newest 10,000. */
  since: instant,
  /** Null if the project has no prices. */
  currency: nullable(ownText),
  total: object(buildCost),
  /** The builds of breakages. */
  failed: object(buildCost),
  /** The most expensive first, at most 50 each. */
  by_job: Type.Array(object({ job: text, ...buildCost })),
  by_branch: Type.Array(object({ branch: text, ...buildCost })),
  by_cause: Type.Array(
    object({
      breakage_id: idText,
      cause: text,
      category: nullable(oneOf(FAILURE_CATEGORIES)),
      state: oneOf(BREAKAGE_STATES),
      branch: nullable(text),
      ...redTime,
      ...buildCost,
    }),
  ),
})

const days = {
  ...param.daysBack,
  schema: Type.Integer({ minimum: 1, maximum: param.DAYS_MAX, default: 30, description: 'Days to look back' }),
  fallback: 30,
}

export const MeasureBudgets = object({
  budgets: Type.Array(MeasureBudget),
  /** Branch patterns of budgets that match no branch. */
  unmatched_patterns: Type.Array(ownText),
  /** The newest 25. */
  alerts: Type.Array(MeasureAlert),
  /** Whether more alerts are open. */
  has_more: flag,
})

export const measureRoutes = {
  listMeasures: {
    ...get,
    path: '/v1/projects/:project_id/measures',
    scope: 'read:builds',
    summary: 'List measures by job, branch, platform and configuration, those that changed or stopped first',
    query: filters,
    shows: ['build', 'deployment', 'measure_alert'],
    reply: Type.Object({ measures: Type.Array(Measure), has_more: flag }, { additionalProperties: false }),
  },
  showMeasures: {
    ...get,
    path: '/v1/projects/:project_id/measures/trends',
    scope: 'read:builds',
    summary: 'Show up to 10 measures over time: values, steps with the changes that may have caused them, and the live builds',
    query: filters,
    shows: ['build', 'change', 'deployment', 'measure_alert'],
    reply: Type.Object({ trends: Type.Array(MeasureTrend), has_more: flag }, { additionalProperties: false }),
    tool: false,
  },
  showCosts: {
    ...get,
    path: '/v1/projects/:project_id/measures/costs',
    scope: 'read:builds',
    summary: 'Show what finished builds cost by job, branch and cause: minutes times the price of their agents',
    query: { days, job: filters.job, branch: filters.branch },
    shows: ['build', 'breakage'],
    reply: Costs,
    tool: false,
  },
  listMeasureBudgets: {
    ...get,
    path: '/v1/projects/:project_id/measures/budgets',
    scope: 'read:builds',
    summary: 'Show the budgets of a project, the measures that are over theirs, and the changes since',
    shows: ['measure_alert'],
    reply: MeasureBudgets,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
