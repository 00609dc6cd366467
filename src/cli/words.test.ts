import { describe, expect, test } from 'vitest'
import { plain } from '../terminal/paint.ts'
import { pick } from '../terminal/pick.ts'
import { aligned, tabbed } from '../terminal/table.ts'
import { clean, columnsOf, cut } from '../terminal/text.ts'
import { duration, relative, size } from '../terminal/times.ts'
import { readHost } from './connection/config.ts'
import { barOf } from './output/watch-screen.ts'
import { bodyOf } from './program/api-fields.ts'
import { misfit } from './program/misfit.ts'

const document = {
  tasks: [
    { id: 1, labels: ['a', 'b'] },
    { id: 2, labels: [] },
  ],
  pagination: { next_cursor: null },
}

describe('picking', () => {
  test.each([
    ['tasks[].id', [1, 2]],
    ['.tasks[-1].id', [2]],
    ['tasks[].labels[0]', ['a', null]],
    ['tasks[].labels[]', ['a', 'b']],
    ['tasks[9].id', [null]],
    ['pagination.next_cursor', [null]],
    ['pagination.next_cursor.deeper', [null]],
    ['.', [document]],
  ])('%s finds its values', (path, found) => expect(pick(document, path)).toEqual(found))

  test.each([
    ['tasks[].title', 'available: id, labels'],
    ['tasks.id', 'add []'],
    ['tasks[', 'is not a path'],
    ['pagination[]', 'not a list'],
    ['tasks[].constructor', 'no constructor'],
  ])('%s is refused', (path, why) => expect(() => pick(document, path)).toThrow(why))
})

describe('tables', () => {
  const rows = [
    {
      id: '0b7c9d3e-5a1f-4f43-9d53-7f0d4f1c2a11',
      name: 'a very long name that does not fit at all',
      size_bytes: 1_234_567,
      live_at: null,
    },
    { id: '1', name: 'two\twords\n', size_bytes: 12, live_at: '2026-01-01T00:00:00.000Z' },
  ]
  test('fit, and never cut off an id', () => {
    const lines = aligned(rows, ['id', 'name', 'size_bytes', 'live_at'], 50, plain)
    expect(lines[0]).toMatch(/^ID +NAME +SIZE +LIVE$/)
    expect(lines[1]).toMatch(/^4f1c2a11 {2}a very .*… +1\.2 MB +-$/)
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(50)
  })

  test('in a pipe are complete, one row per line', () => {
    expect(tabbed(rows, ['id', 'name', 'live_at'])[1]).toBe('1\ttwo words\t2026-01-01T00:00:00.000Z')
  })
})

describe('text', () => {
  test('is cleaned, measured and cut by terminal columns', () => {
    expect(clean('a\u001b[2Jb\r\nc\u202ed')).toBe('a [2Jb c d')
    expect([columnsOf('abc'), columnsOf('日本'), columnsOf('e\u0301'), columnsOf('🎮')]).toEqual([3, 4, 1, 2])
    expect([cut('abcdef', 4), cut('日本語', 4), cut('abc', 3)]).toEqual(['abc…', '日…', 'abc'])
  })

  test('has times, durations and sizes', () => {
    const now = Date.parse('2026-01-10T00:00:00Z')
    const told = ['2026-01-09T21:00:00Z', '2026-04-09T00:00:00Z', '2026-01-10T00:00:01Z', '2025-12-31T00:00:00Z'].map((at) =>
      relative(at, now),
    )
    expect(told).toEqual(['3 h ago', 'in 2 mo', 'just now', '10 d ago'])
    expect([duration(59), duration(252), duration(7260)]).toEqual(['59 s', '4 min 12 s', '2 h 1 min'])
    expect([size(0), size(999), size(1500), size(2_000_000_000)]).toEqual(['0 B', '999 B', '1.5 KB', '2.0 GB'])
  })

  test('of a step with counts becomes a bar', () => {
    expect(barOf('30/120 cooked')).toBe('█████░░░░░░░░░░░░░░░ 25 % ')
    expect([barOf('Content/1/2.png'), barOf('done'), barOf('3/0')]).toEqual(['', '', ''])
  })
})

test('hosts are read as people write them', () => {
  const read = ['gold.example', 'localhost:8080', 'https://gold.example/', 'HTTP://Gold.Example:80', '127.0.0.1:1'].map(readHost)
  expect(read).toEqual([
    'https://gold.example',
    'http://localhost:8080',
    'https://gold.example',
    'http://gold.example',
    'http://127.0.0.1:1',
  ])
})

test('fields form a body', () => {
  const fields = ['a=1', 'b.c=true', 'b.d="7"', 'b.e[]=x', 'b.e[]=2', 'f=a=b', '__proto__.polluted=1']
  expect(bodyOf(fields)).toBe('{"a":1,"b":{"c":true,"d":"7","e":["x",2]},"f":"a=b","__proto__":{"polluted":1}}')
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  expect(() => bodyOf(['a'])).toThrow('name=value')
  expect(() => bodyOf(['a=1', 'a.b=2'])).toThrow('both a value and an object')
})

test('replies may have more fields, not fewer or other ones', () => {
  const schema = {
    type: 'object',
    required: ['a'],
    properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: { type: 'number' } } },
  }
  expect(misfit(schema, { a: null, b: [1, 2.5], c: 1 })).toBeUndefined()
  expect(misfit(schema, { b: [] })).toBe('the response has no a')
  expect(misfit(schema, { a: 1 })).toBe('a is integer')
  expect(misfit(schema, { a: '', b: [1, '2'] })).toBe('b[1] is string')
  expect(misfit({ anyOf: [schema, { type: 'null' }] }, null)).toBeUndefined()
})
