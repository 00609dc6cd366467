import { expect, test } from 'vitest'
import { stepsOf } from './match-steps.ts'

test.each([
  [/abc/, 'xxabc', 1 + 1 + 3],
  [/^a/, 'bb', 2 + 1 + 1],
  [/a*b/, 'aa', 3 + 3 + (2 + 2) + (1 + 1)],
  [/a*?b/, 'aab', 1 + 1 + 1 + 1 + 1],
  [/(?:ab)+?c/, 'ababc', 2 + 1 + 2 + 1],
  [/(?:a|ab){2}c/, 'aabc', 1 + 1 + 1 + 2 + 1],
  [/(?!x)[^b]/, 'xa', 1 + 1 + 1],
  [/(?<=a)b|c/, 'ab', 1 + 1 + 1 + 1],
  [/A\b/i, 'ab a', 2 + 1 + 1 + 2],
])('%s on %s', (pattern, line, steps) => {
  expect(stepsOf(pattern, line, 100)).toBe(steps)
})

test('a group that repeats through a whole long line', () => {
  const line = 'ab'.repeat(5_000)
  expect(stepsOf(/^(?:ab)*c/, line, 1_000_000)).toBeGreaterThan(line.length)
})

test('a pattern that would never end is abandoned', () => {
  expect(stepsOf(/^(a+)+$/, `${'a'.repeat(100)}b`, 5_000)).toBe(5_000)
})
