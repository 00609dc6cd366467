import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Overwritten } from './overwritten.ts'

/** What is stored of an output that arrives in these pieces. */
function storedOf(...pieces: (string | Buffer)[]): string {
  const overwritten = new Overwritten()
  const stored = pieces.map((piece) => overwritten.push(Buffer.from(piece)))
  return Buffer.concat([...stored, overwritten.end()]).toString()
}
const bar = (name: string, states: readonly string[], end = '\n') => states.map((state) => `${name}${state}`).join('\r') + end

test.each([
  [
    'a share',
    'Receiving objects: ',
    ['  1% (1/1000)', ' 45% (450/1000), 1.20 MiB | 5 KiB/s', '100% (1000/1000), 9.1 MiB | 2 MiB/s, done.'],
  ],
  ['an amount', 'frame=', ['  10 size=  256kB time=00:00:04.00 speed=1.02x', ' 920 size= 9256kB time=00:01:04.20 speed=1.1x']],
  ['a bar', 'Packing ', ['[##        ]', '[######    ]', '[##########]']],
  ['colors', '\x1b[32mUpload\x1b[0m ', ['1 of 7', '\x1b[1m2 of 7', '7 of 7']],
  ['a spinner', '', ['| Linking', '/ Linking', '\\ Linking']],
  ['nothing but numbers', '', ['10%', '45%', '100%']],
])('of a progress bar with %s the last state is stored', (_, name, states) => {
  expect(storedOf(`before\n${bar(name, states)}after\n`)).toBe(`before\n${name}${states.at(-1)}\nafter\n`)
  expect(storedOf(`before\r\n${bar(name, states, '\r\n')}after\r\n`)).toBe(`before\r\n${name}${states.at(-1)}\r\nafter\r\n`)
})

test('a text that blanks or an erasure overwrite is stored, the blanks are not', () => {
  expect(storedOf('Downloading 99%\r               \r\x1b[2K\rDone\n')).toBe('Downloading 99%\rDone\n')
  expect(storedOf('45%\r\r\n')).toBe('45%\r\r\n')
})

test.each([
  [
    'with a number, in a log that ends its lines with carriage returns',
    ["Foo.cpp(10): undeclared 'x'", "Foo.cpp(20): undeclared 'x'"],
  ],
  ['that looks like progress', ['error 1/2: no space', 'error 2/2: no space', '100%']],
  ['of another kind than what follows', ['Cooking Map_01 50%', 'Cooking Map_02 60%', 'done']],
  ['without numbers', ['Configuring', 'Configuring the engine']],
  ['of a warning', ['50% done, 1 warning', '60% done, 1 warning']],
  ['before a mark of GitLab', ['section_start:1560896352:build', '\x1b[0KBuild 1/2']],
  ['in another language', ['Zeile 1: Fehler', 'Zeile 2: Fehler']],
])('a line %s is stored', (_, lines) => {
  const printed = `${lines.join('\r')}\n`
  expect(storedOf(printed)).toBe(printed)
})

test('an error in the middle of a progress bar is stored', () => {
  expect(storedOf('10%\r20%\rerror: disk full\r30%\r40%\n')).toBe('error: disk full\r40%\n')
})

test('texts too long for a progress bar are stored as they are, and are not held back', () => {
  const long = `${'#'.repeat(2_000)} 50%`
  expect(storedOf(`${long}\r${long}\n`)).toBe(`${long}\r${long}\n`)
  // Also if what they overwrite is blank: whether it arrives in pieces makes no difference.
  expect(storedOf(`  \r${long}\n`)).toBe(`  \r${long}\n`)
  const overwritten = new Overwritten()
  expect(overwritten.push(Buffer.alloc(100_000, 'x')).length).toBe(100_000)
  expect(overwritten.push(Buffer.from(' 10%\r 20%\n')).toString()).toBe(' 10%\r 20%\n')
})

const texts = fc.constantFrom(
  'Copy 1%',
  'Copy 45%',
  'error 1/2',
  ' ',
  '',
  'ä █████ 3/7',
  '⠋ x',
  'y'.repeat(1_500),
  '\x1b[K',
  '12 of 13 MB',
)
const output = fc.array(fc.tuple(texts, fc.constantFrom('\r', '\n', '\r\n', '\r\r')), { maxLength: 30 })

test('what is stored does not depend on the pieces of the output, keeps all lines, and is never more than it', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat(400), { maxLength: 40 }), (lines, lengths) => {
      const printed = Buffer.from(lines.flat().join(''))
      const pieces: Buffer[] = []
      let at = 0
      for (const length of lengths) {
        pieces.push(printed.subarray(at, at + length))
        at += length
      }
      const stored = storedOf(printed)
      expect(storedOf(...pieces, printed.subarray(at))).toBe(stored)
      expect(stored.split('\n').length).toBe(printed.toString().split('\n').length)
      if (!printed.includes('\r')) expect(stored).toBe(printed.toString())
      expect(stored.split('error').length).toBe(printed.toString().split('error').length)
    }),
    { numRuns: 300 },
  )
})
