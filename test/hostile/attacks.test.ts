import { expect, test } from 'vitest'
import { LINE_CAP } from '../../src/diagnosis/log.ts'
import { within } from '../../src/diagnosis/own-rules/within.ts'
import { attacksOn } from './attacks.ts'
import { isStalledBy } from './stall.ts'

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

const isStalled = (pattern: RegExp) => [...attacksOn(pattern)].some((line) => isStalledBy(pattern, line))

test.each([
  /^\[error\] (?!\(\S+ ?\/ ?\S+\)|Failed).*/,
  /^\s+\* +(?<msg>.*(?:External link|has no).*)/,
  /^\d+:\d+\s+[✖×]?\s*(?<msg>\S.{3,300})$/,
  /^(?:\S+ +> )?(?:\s+\S|\s*\d* *\|)/,
  /^(?:ERROR|FAIL): (?:test\S{0,200}|unittest\.loader\.\S+).*$/,
  /^\s*Could not find (?:gem )?\S+.{0,200} in (?:any|the)/,
  /^(?<test>\S.{0,300}?)\s+(?:-- )?Time elapsed: .{1,40}<<< FAILURE!/,
  /^ *\d+\/\d+ (?<test>\S.{0,120}?) +FAIL +[\d.]+ ?s/,
  /^\s*(?:\d+ files? would be reformatted|.*\b(?:not gofmt'?ed|needs formatting))/,
  /cc1\w*: out of memory/,
  /recipe for target .* failed/,
  /^(?<msg>.* at line \d+, column \d+\..*\(Severity: \d\))/,
])('a line is found over which %s goes again and again', (pattern) => {
  expect(isStalled(pattern)).toBe(true)
})

test.each([
  /^\[error\] (?!\(\S[^\s/]*\/\S+\)|Failed).*/,
  /^(?<test>\S.{0,300}?)(?<=\S)\s+(?:-- )?Time elapsed: .{1,40}<<< FAILURE!/,
  /cc1\w{0,12}: out of memory/,
  /error: .{0,200}(?:provisioning profile|signing certificate)/,
  /recipe for target \S+ failed/,
])('no line is found over which %s goes again and again', (pattern) => {
  expect(isStalled(pattern)).toBe(false)
})
