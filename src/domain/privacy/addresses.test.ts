import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksLikeAddress, reduceAddresses } from './addresses.ts'
import { reduceAuthor } from './authors.ts'

// Independent of the code on purpose: what a reader would recognize as an address.
const ADDRESS = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}/

const local = fc.stringMatching(/^[A-Za-z0-9._%+'"-]{1,12}$/)
const domain = fc
  .tuple(fc.stringMatching(/^[A-Za-z0-9.-]{1,10}$/), fc.constantFrom('com', 'de', 'co.uk', 'studio', 'IO', 'example', 'games'))
  .map(([name, top]) => `${name}.${top}`)
const at = fc.constantFrom('@', '@', '＠', '﹫', '%40', '%2540', '&#64;', '&#x40;', '&commat;', '\\u0040', '\\x40')
const address = fc.tuple(local, at, domain).map((parts) => parts.join(''))
const glue = fc.constantFrom('', ' ', '@', '.', '<', '>', '"', ', ', '\n', '-', '@@', 'é', '.com', '@x.org', '%40')
const hostile = fc.array(fc.oneof(address, glue, fc.string({ maxLength: 6 })), { maxLength: 12 }).map((parts) => parts.join(''))

/** As a reader, a browser or a parser would decode it. */
const decoded = (text: string) =>
  text.normalize('NFKC').replace(/%(?:25)*40|&(?:amp;)*(?:#0*64|#x0*40|commat);?|\\(?:u0040|x40)/gi, '@')

describe('text', () => {
  test('no output ever contains an address, however its at-sign is spelled', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        // A decoded text may contain file names (`icon@2x.png`), which are not addresses.
        fc.pre(!/\.(?:png|js|ts)\b/i.test(text))
        return !ADDRESS.test(decoded(reduceAddresses(text)))
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    ['asked lead@example.com about it', 'asked lead about it'],
    ['Signed-off-by: Kim Doe <kim.doe+git@studio.co.uk>', 'Signed-off-by: Kim Doe <kim.doe+git>'],
    ['a@b.com@c.org', 'a'],
    ['mailto:a@b.com?subject=x', 'mailto:a?subject=x'],
    ['josé@münchen.de', 'josé'],
    ['kim@例え.テスト', 'kim'],
    ['?mail=kim%40example.com&x=1', '?mail=kim&x=1'],
    ['kim%2540example%2Ecom', 'kim'],
    ['kim&#64;example.com, kim&#x40;example.com, kim&commat;example.com, kim&amp;#64;example.com', 'kim, kim, kim, kim'],
    ['kim＠example．com', 'kim'],
    ['{"mail":"kim\\u0040example.com"}', '{"mail":"kim"}'],
    ['kim@163.com', 'kim'],
    // A git remote is not a person; the host is the important part of the line.
    ['fetch git@github.com:org/repo.git', 'fetch github.com:org/repo.git'],
    ['ask git@github.com', 'ask git'],
    ['legit@example.com:x', 'legit:x'],
  ])('%s', (text, clean) => expect(reduceAddresses(text)).toBe(clean))
})

describe('authors', () => {
  test('no output ever contains an at-sign', () => {
    fc.assert(
      fc.property(hostile, (author) => !decoded(reduceAuthor(author)).includes('@')),
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
    ['lead%40example.com', 'lead'],
    ['Lead <lead＠example.com>', 'Lead'],
    ['Lead <lead@example.com>, Kim <kim@example.com>', 'Lead, Kim'],
    ['DICE\\pensjo', 'DICE\\pensjo'],
    ["'lead@example.com'", 'lead'],
    ["Tim O'Brien <t.o'brien@example.com>", "Tim O'Brien"],
    ["o'brien@example.com", "o'brien"],
    ['@kim', 'kim'],
    ['', ''],
  ])('%s', (author, clean) => expect(reduceAuthor(author)).toBe(clean))
})

test('a uid that is an address is recognized in every spelling', () => {
  for (const uid of ['kim@example.com', 'kim@host', 'kim%40example.com', 'kim＠example.com'])
    expect(looksLikeAddress(uid)).toBe(true)
  for (const uid of ['kim', '4711', 'U0AB', '@kim']) expect(looksLikeAddress(uid)).toBe(false)
})
