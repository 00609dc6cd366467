import { type Static, Type } from 'typebox'
import { list, nullable, object, own } from '../fields.ts'
import { BRANCH_MAX, BUDGETS_MAX, MEASURE_MAX, PATTERN_MAX } from '../limits.ts'
import { MEASURE_UNIT_MAX } from '../spellings/build-dimensions.ts'
import { put } from './route.ts'

const pattern = own(Type.String({ maxLength: PATTERN_MAX }))

/** What measures may not exceed. An empty pattern matches everything; a star matches any text. */
export const MeasureBudget = object({
  measure: own(Type.String({ minLength: 1, maxLength: PATTERN_MAX, pattern: '\\S' })),
  job: pattern,
  branch: own(Type.String({ maxLength: BRANCH_MAX })),
  platform: pattern,
  configuration: pattern,
  /** The unit of the highest value. Empty until the measure is reported in one: then it is that one. */
  unit: own(Type.String({ maxLength: MEASURE_UNIT_MAX })),
  max_value: nullable(Type.Number({ minimum: 0, maximum: MEASURE_MAX })),
  /** In percent of the value of the build that is live on the track. */
  max_growth: nullable(Type.Number({ minimum: 0, maximum: MEASURE_MAX })),
  /** The track for `max_growth`; empty if only one has a live build of the job. */
  store: pattern,
  track: pattern,
})
export type MeasureBudget = Static<typeof MeasureBudget>

/** The defaults of a budget in a world file. */
export const NO_BUDGET = {
  ...{ job: '', branch: '', platform: '', configuration: '', unit: '' },
  ...{ max_value: null, max_growth: null, store: '', track: '' },
}

const { configuration, unit, ...required } = MeasureBudget.properties
const WrittenBudget = object({ ...required, configuration: Type.Optional(configuration), unit: Type.Optional(unit) })
export type WrittenBudget = Static<typeof WrittenBudget>

export const MeasureBudgets = object({ budgets: Type.Array(WrittenBudget, { maxItems: BUDGETS_MAX }) })

/** Editing budgets administers a project: no login grants the scope. */
export const measureBudgetRoutes = {
  setMeasureBudgets: {
    ...put,
    path: '/v1/projects/:project_id/measures/budgets',
    scope: 'admin:projects',
    summary: 'Replace the budgets of a project; those over their budget are announced within a minute',
    role: 'lead',
    body: MeasureBudgets,
    reply: list('budgets', MeasureBudget),
    writes: true,
  },
} as const
