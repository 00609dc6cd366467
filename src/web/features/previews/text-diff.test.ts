import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beside, diffLines, folded } from './text-diff.ts'

const shown = (before: string, after: string) => diffLines(before, after).map(({ kind, text }) => `${kind}${text}`)

test('changed lines are shown between those that stay', () => {
  expect(shown('a\nb\nc\n', 'a\nB\nc\nd')).toEqual([' a', '-b', '+B', ' c', '+d'])
  expect(shown('', 'a')).toEqual(['+a'])
  expect(shown('same\r\n', 'same\n')).toEqual([' same'])
})

test('lines that repeat are compared too', () => {
  expect(shown('x\nx\ny', 'x\ny')).toEqual([' x', '-x', ' y'])
})

test('both texts can be read from the comparison, whatever they are', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 40 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      const only = (left: string) =>
        lines
          .filter(({ kind }) => kind !== left)
          .map((line) => `${line.text}\n`)
          .join('')
      expect(only('+')).toBe(before)
      expect(only('-')).toBe(after)
      const numbers = (side: 'before' | 'after') => lines.flatMap((line) => line[side] ?? [])
      for (const side of ['before', 'after'] as const) expect(numbers(side)).toEqual(numbers(side).map((_, i) => i + 1))
    }),
  )
})

test('large texts without a common line end without a table of all pairs', () => {
  const text = (of: string) => Array.from({ length: 200_000 }, (_, i) => `${of}${i % 7}`).join('\n')
  expect(diffLines(text('a'), text('b'))).toHaveLength(400_000)
})

test('lines far from a change are left out, and their number is shown', () => {
  const many = (changed: string) => [...Array.from({ length: 20 }, (_, i) => `line ${i}`), changed, 'end'].join('\n')
  const rows = folded(diffLines(many('old'), many('new')))
  expect(rows[0]).toBe(17)
  expect(rows).toHaveLength(1 + 3 + 2 + 1)
  expect(folded(diffLines('a', 'a'))).toEqual([1])
})

test('side by side, a removed line is next to the one that replaces it', () => {
  const rows = beside(diffLines('a\nb\nc', 'a\nB\nB2\nc')).map((row) =>
    typeof row === 'number' ? row : row.map((line) => line?.text ?? null),
  )
  expect(rows).toEqual([
    ['a', 'a'],
    ['b', 'B'],
    [null, 'B2'],
    ['c', 'c'],
  ])
})
