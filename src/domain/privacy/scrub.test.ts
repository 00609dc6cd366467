import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CREDENTIALS, HARMLESS, isMarked } from '../../../test/support/files/credentials.ts'
import { workOf } from '../../../test/support/work.ts'
import { reduceAuthor } from './authors.ts'
import { mayHoldPrivate, scrub, scrubAuthor } from './scrub.ts'
import { NEAR } from './secret-shapes.ts'
import { NEAR_NAMES } from './secret-values.ts'

const cases = Object.entries(CREDENTIALS)

describe.each(cases)('a %s', (_, credential) => {
  test('is removed anywhere, and the text around it stays', () => {
    expect(isMarked(credential)).toBe(true)
    for (const [before, after] of [
      ['', ''],
      ['[12:00:01] ', '\nnext line'],
      ['"', '"'],
      // A header extends to the end of its line.
      ['see ', /^(?:Authorization|Cookie)/.test(credential) ? '' : ' for more'],
    ] as const) {
      const shown = scrub(before + credential + after)
      expect(isMarked(shown), shown).toBe(false)
      expect(shown.startsWith(before) && shown.includes(after.trimEnd()), shown).toBe(true)
      expect(scrub(shown)).toBe(shown)
    }
  })

  test('is detected in JSON that contains it, after a line break too', () => {
    expect(mayHoldPrivate(JSON.stringify({ text: `first\n${credential}` }))).toBe(true)
    expect(isMarked(JSON.stringify(scrub(`first\n${credential}`)))).toBe(false)
  })

  test('is removed from a text that was cut or never decoded', () => {
    if (!credential.includes('PRIVATE')) return
    expect(isMarked(scrub(JSON.stringify(credential)))).toBe(false)
    expect(isMarked(scrub(credential.slice(0, -20)))).toBe(false)
  })
})

test.each(HARMLESS)('%s stays unchanged', (text) => {
  expect(scrub(text)).toBe(text)
  expect(scrub(`in ${text} as it is`)).toBe(`in ${text} as it is`)
})

describe('any text', () => {
  const names = fc.constantFrom(...NEAR_NAMES, ...NEAR, 'password', 'Authorization', 'authorization: bearer', 'cookie')
  const address = fc.constantFrom(
    'kim@example.com',
    'kim%40example.com',
    'a@b.com@c.org',
    'git@github.com:x/y',
    '@',
    '://u:p@h.io',
  )
  const glue = fc.constantFrom('=', ': ', ' ', '"', '\\"', "'", '\n', '&', '://', '[secret]', '%3D', '-', '--', '.', 'x1')
  const piece = fc.oneof(
    names,
    address,
    glue,
    fc.constantFrom(...cases.map(([, credential]) => credential)),
    fc.string({ maxLength: 8 }),
  )
  const hostile = fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join(''))

  test('scrubbed twice equals scrubbed once', () => {
    fc.assert(
      fc.property(hostile, (text) => scrub(scrub(text)) === scrub(text)),
      { numRuns: 5000 },
    )
  })

  test('grows by no more than the placeholder of a credential', () => {
    fc.assert(
      fc.property(hostile, (text) => scrub(text).length <= 3 * text.length + 8),
      { numRuns: 2000 },
    )
  })

  test('between spaces keeps harmless words', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HARMLESS), { maxLength: 6 }), (lines) => {
        const text = lines.join('\n')
        return scrub(text) === text
      }),
    )
  })
})

test('no author has an at-sign or a credential', () => {
  expect(scrubAuthor(`kim ghp_${'a1'.repeat(18)} <kim@example.com>`)).toBe('kim [secret]')
  expect(scrubAuthor('https://kim:hunter22@example.com')).toBe('https://example.com')
})

test('256,000 hostile characters cost four times as much as a quarter of them', () => {
  const units = [
    ...[
      '@',
      'a@',
      'a@b.',
      'a@b.c',
      'a@b.com',
      'a@-.1',
      '＠',
      '%40',
      '%25',
      '&amp;',
      '&#64;',
      '\\',
      '\\u0040',
      'git@a.com:',
      'x@y.png',
    ],
    ...['://', 'a://b', '://a:b', '%3a%2f%2f', 'token=', 'token: ', 'token ', '--token ', 'password:"', 'cookie:', 'Bearer a1'],
    ...[
      'Authorization: ',
      'authorization: basic ',
      '-----BEGIN PRIVATE KEY-----',
      '11',
      'M',
      'MM.aaaaaa.',
      '7Q~',
      '~',
      ' -u ',
      ':16=',
    ],
    ...[' ', '\n', '"', '<', '(a@b.com', 'kim <kim@x.com> ', "'", '[secret]', 'secret=[secret]', '-AAAA', 'eyJaaaaaaaaaaa.'],
    ...NEAR,
    ...NEAR_NAMES,
  ]
  const text = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  // On an idle machine none takes 50 ms. The minimum of a few runs: garbage collection must not count.
  const cost = (act: (text: string) => string, given: string) => Math.min(...[1, 2].map(() => workOf(() => act(given))))
  for (const act of [scrub, reduceAuthor]) {
    for (const unit of units) act(text(unit, 2_000))
    for (const unit of units)
      expect(cost(act, text(unit, 256_000)), `${act.name} of ${unit}`).toBeLessThan(6 * cost(act, text(unit, 64_000)) + 50)
  }
})

test('an author of any length costs no more than a long name', () => {
  for (const unit of ['a@b.com ', 'token: ', '<@', "'@"]) {
    const author = unit.repeat(256_000 / unit.length)
    expect(scrubAuthor(author).length).toBeLessThanOrEqual(1_000)
    expect(workOf(() => scrubAuthor(author))).toBeLessThan(50)
  }
})
