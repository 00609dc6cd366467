import { expect, test } from 'vitest'
import { LINE_CAP } from '../../src/diagnosis/log.ts'
import { within } from '../../src/diagnosis/within.ts'
import { attacksOn } from './attacks.ts'

const isBusy = (pattern: RegExp, line: string) => {
  try {
    within(250, () => pattern.test(line))
    return false
  } catch {
    return true
  }
}

test.each([
  '^(a+)+$',
  '(a|a)*b',
  '(.*)*x',
  '^(\\w+\\s?)*$',
  '(?:a|b|ab)*c',
  '(?:[ab]|[bc])*d',
  '(?:\\s*foo\\s*)*$',
  '(x+.)*$',
  '(?:a?|b?){50}c',
  '(?=(a+)+$)b',
  '[ab]+[bc]+[bd]+x',
  'ERROR: test\\w*\\S*.{0,100}.*$',
])('a line is found that keeps %s busy', (source) => {
  const pattern = new RegExp(source)
  expect([...attacksOn(pattern)].some((line) => isBusy(pattern, line))).toBe(true)
})

test.each([
  '((a{1000}){1000}){1000}',
  '[]',
  '[^]',
  'a{,5}{',
  ']]}}',
  '(?:)*',
  '[\\]]+x[^\\]]*',
  '\\'.repeat(10),
  '\\u00e9+\\x41*',
])('attacks on %s fit a line', (source) => {
  const lines = [...attacksOn(new RegExp(source))]
  expect(Math.max(0, ...lines.map((line) => line.length))).toBeLessThanOrEqual(LINE_CAP)
})
