import { expect, test } from 'vitest'
import { base32, codeAt, matchingStep, newSecret, stepOf } from './totp.ts'

/** RFC 6238, appendix B: the last six digits of its codes for SHA-1. */
const SECRET = base32(Buffer.from('12345678901234567890'))

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('the code at second %i matches the RFC', (seconds, code) => {
  expect(codeAt(SECRET, stepOf(seconds * 1000))).toBe(code)
})

test('a code is valid for its half minute and the adjacent ones, and only once', () => {
  const now = 1_234_567_890_000
  const step = stepOf(now)
  for (const drift of [-1, 0, 1]) expect(matchingStep(SECRET, codeAt(SECRET, step + drift), now, 0)).toBe(step + drift)
  for (const drift of [-2, 2]) expect(matchingStep(SECRET, codeAt(SECRET, step + drift), now, 0)).toBeUndefined()
  expect(matchingStep(SECRET, codeAt(SECRET, step), now, step)).toBeUndefined()
  expect(matchingStep(SECRET, '12345', now, 0)).toBeUndefined()
})

test('secrets have 160 bits', () => expect(newSecret()).toMatch(/^[A-Z2-7]{32}$/))
