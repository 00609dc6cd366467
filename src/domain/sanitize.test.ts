import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { workOf } from '../../test/work.ts'
import { sanitizeAuthor, sanitizeText } from './sanitize.ts'

// Written apart from the sanitizer on purpose: what a reader of the answer would call an address.
const ADDRESS = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}/

const local = fc.stringMatching(/^[A-Za-z0-9._%+'"-]{1,12}$/)
const domain = fc.stringMatching(/^[A-Za-z0-9.-]{1,10}\.[A-Za-z]{2,6}$/)
const address = fc.tuple(local, domain).map(([name, host]) => `${name}@${host}`)
const glue = fc.constantFrom('', ' ', '@', '.', '<', '>', '"', ', ', '\n', '-', '@@', 'é', '.com', '@x.org')
const hostile = fc.array(fc.oneof(address, glue, fc.string({ maxLength: 6 })), { maxLength: 12 }).map((parts) => parts.join(''))

describe('text', () => {
  test('no output ever contains an address', () => {
    fc.assert(
      fc.property(hostile, (text) => !ADDRESS.test(sanitizeText(text))),
      { numRuns: 5000 },
    )
  })

  test('sanitizing twice changes nothing more', () => {
    fc.assert(
      fc.property(hostile, (text) => sanitizeText(sanitizeText(text)) === sanitizeText(text)),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['asked lead@example.com about it', 'asked lead about it'],
    ['Signed-off-by: Kim Doe <kim.doe+git@studio.co.uk>', 'Signed-off-by: Kim Doe <kim.doe+git>'],
    ['a@b.com@c.org', 'a'],
    ['mailto:a@b.com?subject=x', 'mailto:a?subject=x'],
    ['josé@münchen.de', 'josé'],
    ['bump lodash@4.17.21 and @types/node', 'bump lodash@4.17.21 and @types/node'],
    ['ping @kim', 'ping @kim'],
    ['nothing here', 'nothing here'],
  ])('%s', (text, clean) => expect(sanitizeText(text)).toBe(clean))
})

describe('authors', () => {
  test('no output ever contains an at-sign', () => {
    fc.assert(
      fc.property(hostile, (author) => !sanitizeAuthor(author).includes('@')),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['Lead <lead@example.com>', 'Lead'],
    ['Lead Dev lead@example.com', 'Lead Dev'],
    ['lead@example.com', 'lead'],
    ['<lead@example.com>', 'lead'],
    ['Lead (lead@example.com)', 'Lead'],
    ['"Lead" <lead@example.com>', 'Lead'],
    ['lead@buildbox', 'lead'],
    ['DICE\\pensjo', 'DICE\\pensjo'],
    ["'lead@example.com'", 'lead'],
    ["Tim O'Brien <t.o'brien@example.com>", "Tim O'Brien"],
    ["o'brien@example.com", "o'brien"],
    ['@kim', 'kim'],
    ['', ''],
  ])('%s', (author, clean) => expect(sanitizeAuthor(author)).toBe(clean))
})

test('256,000 hostile characters cost no more than plain ones by an order of magnitude', () => {
  const cost = (text: string) => workOf(() => sanitizeText(text))
  const plain = Math.max(cost('x '.repeat(128_000)), 5)
  for (const unit of ['@', 'a@', 'a@b.', 'a@b.c', 'a@b.com', '.', 'a@-.1'])
    expect(cost(unit.repeat(256_000 / unit.length))).toBeLessThan(plain * 20)
})
