import type { MeasureBudget } from '../routes/measure-budgets.ts'
import { storeLabel } from '../spellings/stores.ts'
import { measureWords } from './measure-words.ts'

/** What a budget allows: `at most 4.2 GB, at most 5 % more than Steam default`. */
export function budgetWords({ max_value, unit, max_growth, store, track }: MeasureBudget): string {
  const live = [store && storeLabel(store), track].filter(Boolean).join(' ') || 'the live build'
  return [
    max_value !== null && `at most ${measureWords({ value: max_value, unit: unit || null })}`,
    max_growth !== null && `at most ${max_growth} % more than ${live}`,
  ]
    .filter(Boolean)
    .join(', ')
}

interface Grown {
  path: string
  before: number | null
  after: number
  unit: string | null
}

/** `Art/T_Sky.png (12 MB → 52 MB)`. */
export const grownWords = ({ path, before, after, unit }: Grown): string =>
  `${path} (${before === null ? 'new' : measureWords({ value: before, unit })} → ${measureWords({ value: after, unit })})`

interface Range {
  changes: readonly { display_identifier: string }[]
  count: number | null
}

/** `CL 1204`, or `CL 1204 to CL 1210, 5 changes`; undefined if no change is known. */
export function rangeWords(range: Range | null): string | undefined {
  const [newest, oldest] = [range?.changes[0], range?.changes.at(-1)]
  if (!range || !newest || !oldest) return undefined
  if (range.count === 1) return newest.display_identifier
  const isWhole = range.count === range.changes.length
  const span = isWhole ? `${oldest.display_identifier} to ${newest.display_identifier}` : `up to ${newest.display_identifier}`
  return range.count === null ? span : `${span}, ${range.count} changes`
}
