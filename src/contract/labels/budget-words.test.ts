import { expect, test } from 'vitest'
import { NO_BUDGET } from '../routes/measure-budgets.ts'
import { budgetWords, grownWords, rangeWords } from './budget-words.ts'

const BUDGET = { ...NO_BUDGET, measure: 'package' }

test('a budget says what it allows', () => {
  expect(budgetWords({ ...BUDGET, max_value: 4.2e9, unit: 'bytes' })).toBe('at most 4.2 GB')
  expect(budgetWords({ ...BUDGET, max_growth: 5 })).toBe('at most 5 % more than the live build')
  expect(budgetWords({ ...BUDGET, max_value: 60, max_growth: 5, store: 'steam', track: 'beta', unit: 's' })).toBe(
    'at most 60 s, at most 5 % more than Steam beta',
  )
})

test('a part that grew is named with both sizes, or as new', () => {
  expect(grownWords({ path: 'T_Sky.png', before: 12e6, after: 52e6, unit: 'bytes' })).toBe('T_Sky.png (12.0 MB → 52.0 MB)')
  expect(grownWords({ path: 'T_Sky.png', before: null, after: 52e6, unit: 'bytes' })).toBe('T_Sky.png (new → 52.0 MB)')
})

test('a range is its only change, or its ends and their number, and nothing more than is known', () => {
  const changes = ['CL 9', 'CL 8', 'CL 7'].map((display_identifier) => ({ display_identifier }))
  expect(rangeWords({ changes: changes.slice(0, 1), count: 1 })).toBe('CL 9')
  expect(rangeWords({ changes, count: 3 })).toBe('CL 7 to CL 9, 3 changes')
  expect(rangeWords({ changes, count: 40 })).toBe('up to CL 9, 40 changes')
  expect(rangeWords({ changes, count: null })).toBe('up to CL 9')
  expect(rangeWords({ changes: [], count: 0 })).toBeUndefined()
  expect(rangeWords(null)).toBeUndefined()
})
