import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Scanner } from './scanner.ts'

const LISTS = ['tasks', 'changes', 'assets']

/** The content of the file, read in chunks cut at the given offsets. */
function scan(text: string | Buffer, cuts: number[] = []): Record<string, unknown[]> {
  const bytes = Buffer.from(text)
  const scanner = new Scanner(LISTS)
  const lists: Record<string, unknown[]> = {}
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  for (const [index, from] of [0, ...places].entries())
    for (const { list, value, index: position } of scanner.push(bytes.subarray(from, places[index] ?? bytes.length))) {
      lists[list] ??= []
      expect(position).toBe(lists[list].length)
      lists[list].push(value)
    }
  scanner.end()
  return lists
}

const every = (text: string) => Array.from({ length: Buffer.byteLength(text) }, (_, index) => index)

const element = fc.dictionary(fc.string({ unit: 'binary', maxLength: 6 }), fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), {
  maxKeys: 3,
})
const file = fc.dictionary(fc.constantFrom(...LISTS), fc.array(element, { maxLength: 4 }))
const spaced = fc.tuple(file, fc.constantFrom(undefined, 1, '\t', ' \n'))
/** Without empty lists. */
const filled = (lists: Record<string, unknown[]>) =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

describe('a file in chunks', () => {
  test('is read like JSON.parse reads it as a whole, wherever it is cut', () => {
    fc.assert(
      fc.property(spaced, fc.array(fc.nat(), { maxLength: 20 }), ([world, space], cuts) => {
        const text = JSON.stringify(world, null, space)
        expect(scan(text, cuts)).toEqual(filled(JSON.parse(text)))
      }),
      { numRuns: 300 },
    )
  })

  test('is read the same one byte at a time', () => {
    const text = `{"tasks": [{"a": "\\\\\\"}]\\u00e9 é 漢 🎮", "b": [[{}], "]"]}, {}] , "changes":[]}`
    expect(scan(text, every(text))).toEqual(filled(JSON.parse(text)))
  })

  test('with one character changed is refused whenever JSON.parse refuses it', () => {
    const broken = fc.tuple(file, fc.nat(), fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'x', '\n'))
    fc.assert(
      fc.property(broken, fc.array(fc.nat(), { maxLength: 5 }), ([world, at, change], cuts) => {
        const text = JSON.stringify(world)
        const place = at % (text.length + 1)
        const changed = text.slice(0, place) + change + text.slice(place + 1)
        const whole = attempt(() => JSON.parse(changed.toWellFormed()))
        const pieces = attempt(() => scan(changed, cuts))
        if (whole === undefined) expect(pieces).toBeUndefined()
        else if (pieces !== undefined) expect(pieces).toEqual(filled(whole as Record<string, unknown[]>))
      }),
      { numRuns: 1000 },
    )
  })
})

const attempt = (read: () => unknown) => {
  try {
    return read()
  } catch {
    return undefined
  }
}

test('a byte order mark is skipped', () => {
  expect(scan('\uFEFF{"tasks":[{"a":1}]}', [1])).toEqual({ tasks: [{ a: 1 }] })
})

test.each([
  ['', 'The file ends too early, at the beginning: a world file is a JSON object of lists'],
  ['[]', 'Unexpected "[" at the beginning: a world file is a JSON object of lists (byte 0)'],
  ['{"tasks":[{"a":1}', 'The file ends too early, after tasks[0]'],
  ['{"tasks":[{"a":1', 'The file ends too early, in tasks'],
  ['{"taks":[]}', 'unknown list "taks"; known: tasks, changes, assets'],
  ['{"tasks":{}}', 'tasks: must be a list'],
  ['{"tasks":null}', 'tasks: must be a list'],
  ['{"tasks":[{},7]}', 'tasks[1]: must be an object'],
  ['{"tasks":[{}],"tasks":[]}', 'tasks: given twice'],
  ['{"tasks":[{}]}x', 'Unexpected "x" after tasks[0] (byte 14)'],
  ['{"tasks":[{"a":}]}', /^tasks\[0\]: not JSON \(/],
  [Buffer.from([...Buffer.from('{"tasks":[{"a":"'), 0xff, ...Buffer.from('"}]}')]), 'tasks[0]: not UTF-8'],
  [`{"tasks":[${'{"a":'.repeat(200)}`, 'tasks[0]: nested deeper than 100'],
])('%s is refused: %s', (text, message) => {
  expect(() => scan(text)).toThrow(message)
})
