import { expect, test } from 'vitest'
import { median } from './median.ts'

test.each([
  [[], null],
  [[7], 7],
  [[17.5, 4.5], 11],
  [[3, 1, 2], 2],
  [[10, 9, 100, 1], 9.5],
])('the median of %o is %s', (values, expected) => {
  expect(median(values)).toBe(expected)
})

test('the values keep their order', () => {
  const values = [3, 1, 2]
  median(values)
  expect(values).toEqual([3, 1, 2])
})
