import { expect, test } from 'vitest'
import type { Correction } from '../../../contract/health-shapes.ts'
import { correctionOf, givenBy } from './correction.ts'

test('an empty form corrects nothing', () => {
  expect(correctionOf({ line: '', category: '', cause: '  ' })).toEqual({})
})

test('a filled form sends what it holds, and no line that is not a number', () => {
  expect(correctionOf({ line: ' 12 ', category: 'network', cause: ' down ' })).toEqual({
    line: 12,
    category: 'network',
    cause: 'down',
  })
  expect(correctionOf({ line: '-3', category: 'none', cause: '' })).toEqual({})
})

test('a second cleared change keeps the first, unless another build was corrected', () => {
  const correction = { build_run_id: '7', cleared_change_ids: [1, 2] } as Correction
  expect(givenBy(correction, '7', 3)).toEqual([1, 2, 3])
  expect(givenBy(correction, '7', 2)).toEqual([1, 2])
  expect(givenBy(correction, '8', 3)).toEqual([3])
  expect(givenBy(undefined, '8', 3)).toEqual([3])
})
