import { expect, test } from 'vitest'
import { differenceWords, measureWords } from './measure-words.ts'

test.each([
  [{ value: 38_822_947, unit: 'bytes' }, '38.8 MB'],
  [{ value: 0.951, unit: 'ratio' }, '95.1 %'],
  [{ value: 36.054352, unit: 's' }, '36.1 s'],
  [{ value: 2.14051, unit: 's' }, '2.14 s'],
  [{ value: 1470, unit: 'count' }, '1,470'],
  [{ value: 17, unit: null }, '17'],
])('%o reads as %s', (measure, words) => {
  expect(measureWords(measure)).toBe(words)
})

test.each([
  [1052, 1000, '+5.2 %'],
  [900, 1000, '−10 %'],
  [1004, 1000, ''],
  [5, 0, ''],
])('%d after %d is %s', (value, before, words) => {
  expect(differenceWords(value, before)).toBe(words)
})
