import { expect, test } from 'vitest'
import { workOf } from '../../test/support/work.ts'
import { diagnose } from './diagnose.ts'
import { LINE_CAP, LOG_CAP } from './log.ts'

/** A log full of such lines, with or without an error before each of them. */
const logOf = (part: string, before: string) => {
  const line = `${before}${part.repeat(LINE_CAP).slice(0, LINE_CAP - 1)}\u20ac\n`
  return line.repeat(Math.ceil(LOG_CAP / line.length)).slice(0, LOG_CAP)
}

const best = (log: string) => Math.min(...[1, 2, 3, 4].map(() => workOf(() => diagnose(log))))

const ERROR = 'src/hero.c:12:3: error: expected expression\n'

test.each([
  { what: 'carets', part: '~', before: ERROR },
  { what: 'names of makefiles', part: 'makefilex', before: ERROR },
  { what: 'folders', part: './', before: ERROR },
  { what: 'words that might be a file', part: 'a.1', before: '' },
  { what: 'unknown folders', part: './', before: '' },
])('a log of nothing but $what costs about as much as one of prose', ({ part, before }) => {
  const [hostile, prose] = [logOf(part, before), logOf('a word ', before)]
  expect(best(hostile)).toBeLessThan(6 * best(prose) + 10)
})

const END = '\nThe command "x" exited with 1.\n'
const linesOf = (lines: string) => lines.repeat(Math.ceil(LOG_CAP / lines.length)).slice(0, LOG_CAP - END.length) + END

test.each([
  { what: 'headings of failed tests', hostile: '___ t ___\n', plain: '... t ...\n' },
  { what: 'steps that print an error each', hostile: '$ x\nError: y\n', plain: '- x\nWords: y\n' },
])('a log of nothing but $what costs about as much as other lines of that length', ({ hostile, plain }) => {
  expect(best(linesOf(hostile))).toBeLessThan(6 * best(linesOf(plain)) + 10)
})
