import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HARMLESS_LINES, SECRET_LINES } from '../../../test/support/files/secret-lines.ts'
import { workOf } from '../../../test/support/work.ts'
import { redactArguments } from './command-lines.ts'
import { CommandWords } from './command-words.ts'
import { mayHoldPrivate, scrub } from './scrub.ts'
import { NEAR_ARGUMENTS } from './secret-arguments.ts'

test('the tables have at least 25 lines with a credential and 200 without', () => {
  expect(SECRET_LINES.length).toBeGreaterThanOrEqual(25)
  expect(new Set(HARMLESS_LINES).size).toBeGreaterThanOrEqual(200)
})

describe.each(SECRET_LINES)('%s', (line, ...secrets) => {
  test('loses its credential and keeps the rest', () => {
    for (const text of [line, `[2026-11-17T01:02:03Z] ${line}`, `before\r\n${line}\r\nafter`]) {
      expect(mayHoldPrivate(text)).toBe(true)
      const shown = scrub(text)
      for (const secret of secrets) expect(shown).not.toContain(secret)
      expect(shown).toContain('[secret]')
      expect(scrub(shown)).toBe(shown)
      // The command is still readable.
      expect(shown.split('\n').at(text === line ? 0 : -1)).not.toBe('[secret]')
    }
    expect(scrub(line).slice(0, 4)).toBe(line.slice(0, 4))
  })
})

test.each(HARMLESS_LINES)('%s stays as it is', (line) => {
  for (const text of [line, `[2026-11-17T01:02:03Z] ${line}`, `+ ${line}\r\nnext line`]) expect(scrub(text)).toBe(text)
})

test('a rule for one command does not apply to the next', () => {
  expect(scrub('sshpass -p one ssh build-07; mkdir -p two && docker run -p 80:80 x | ssh -p 22 y')).toBe(
    'sshpass -p [secret] ssh build-07; mkdir -p two && docker run -p 80:80 x | ssh -p 22 y',
  )
  expect(scrub('docker login -p one\nmkdir -p two')).toBe('docker login -p [secret]\nmkdir -p two')
})

test('a credential inside a piped credential is cut with it', () => {
  expect(redactArguments('echo "sshpass -p one ssh build-07" | docker login --password-stdin -u ci')).toBe(
    'echo "[secret]" | docker login --password-stdin -u ci',
  )
})

test('commands are read through three levels of quotes', () => {
  const nested = (depth: number): string =>
    depth === 0 ? 'sshpass -p one ssh build-07' : `bash -c ${'"\'`'[depth - 1]}${nested(depth - 1)}${'"\'`'[depth - 1]}`
  for (const depth of [1, 2, 3]) expect(scrub(nested(depth))).not.toContain('one')
})

describe('splitting', () => {
  const wordsOf = (line: string) => {
    const words = new CommandWords(line)
    const found: string[] = []
    for (let word = words.next(); word; word = words.next()) found.push(word.text)
    return found
  }
  test.each([
    ['a  b\tc', ['a', 'b', 'c']],
    ['a "b c" \'d e\'', ['a', 'b c', 'd e']],
    ['-p"b c"d', ['-p"b c"d']],
    ['"C:\\Builds\\" x', ['C:\\Builds\\', 'x']],
    ['"a\\"b" c', ['a\\"b', 'c']],
    ['\\"a b\\" c', ['a b', 'c']],
    ["don't stop", ["don't", 'stop']],
    ['a|b; c && d', ['a', '|', 'b', ';', 'c', '&', '&', 'd']],
    ["['a', 'b c']", ['a', 'b c', ']']],
  ])('the words of %s are found', (line, words) => {
    expect(wordsOf(line)).toEqual(words)
  })
})

describe('any command line', () => {
  const piece = fc.oneof(
    fc.constantFrom(...SECRET_LINES.map(([line]) => line), ...HARMLESS_LINES),
    fc.constantFrom(...SECRET_LINES.flatMap(([line]) => line.split(' '))),
    fc.constantFrom(
      ' ',
      '\n',
      '"',
      "'",
      '`',
      '\\',
      '|',
      ';',
      '&&',
      ' -p ',
      ' -P ',
      '=',
      '[secret]',
      'echo ',
      ' login ',
      '<<<',
      ',',
    ),
    fc.string({ maxLength: 6 }),
  )
  const hostile = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

  test('scrubbed twice equals scrubbed once', () => {
    fc.assert(
      fc.property(hostile, (text) => scrub(scrub(text)) === scrub(text)),
      { numRuns: 3_000 },
    )
  })

  test('of harmless lines stays unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...HARMLESS_LINES), { maxLength: 8 }), (lines) => {
        const text = lines.join('\n')
        return scrub(text) === text
      }),
    )
  })
})

test('256,000 hostile characters of commands cost four times as much as a quarter of them', () => {
  const units = [
    ...NEAR_ARGUMENTS,
    ...[
      'p4 -P ',
      'p4 -p x ',
      'p4 ',
      'net user ',
      'net use a ',
      '+login a ',
      'docker login ',
      'echo a | p4 login ',
      'echo a ',
      'echo ',
    ],
    ...['docker login "', "docker login '", 'docker login \\"', '"docker login ', '"p4 \\" ', '` p4 -P a', "p4'", 'p4 "a" '],
    ...[
      'machine a login ',
      'setx token ',
      'curl -u',
      'curl -u a:',
      'login\tb\npassword ',
      'password a\n',
      '[" ',
      '/ugs/',
      '/ugs/a',
    ],
  ]
  const text = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  const cost = (given: string) => Math.min(...[1, 2].map(() => workOf(() => scrub(given))))
  for (const unit of units) scrub(text(unit, 2_000))
  for (const unit of units) expect(cost(text(unit, 256_000)), unit).toBeLessThan(6 * cost(text(unit, 64_000)) + 50)
})
