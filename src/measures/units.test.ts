import { expect, test } from 'vitest'
import { converted } from './units.ts'

test.each([
  [20_000, 'ms', 's', 20],
  [1.5, 'h', 'min', 90],
  [4.2, 'GB', 'bytes', 4_200_000_000],
  [1, 'GiB', 'MiB', 1024],
  [5, 'kB', 'KB', 5],
  [0.95, 'ratio', '%', 95],
  [7, null, null, 7],
  [7, 'frames', 'frames', 7],
])('%s %s is as much as %s: %s', (value, from, to, expected) => {
  expect(converted(value, from, to)).toBe(expected)
})

test.each([
  ['s', 'bytes'],
  ['s', null],
  [null, 's'],
  ['frames', 's'],
  ['ratio', 'MB'],
])('%s cannot be converted to %s', (from, to) => {
  expect(converted(1, from, to)).toBeNull()
})
