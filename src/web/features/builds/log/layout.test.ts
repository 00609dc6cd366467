import { expect, test } from 'vitest'
import { columnsOf, heightOf, layoutOf, lineAt, linesBetween, rowsOf, topOf } from './layout.ts'

const group = (line: number, last: number) => ({ line, last, depth: 0, isFolded: false, isClosed: true })
const WIDTHS = [10, 25, 0, 5, 5, 5, 41]
const widthOf = (n: number) => WIDTHS[n - 1]!

test('a line is one row, and several if it is wrapped', () => {
  const plain = layoutOf(7, [], 0, widthOf)
  expect([rowsOf(plain), topOf(plain, 7), lineAt(plain, 3)]).toEqual([7, 6, 4])
  const wrapped = layoutOf(7, [], 20, widthOf)
  expect(WIDTHS.map((_, i) => heightOf(wrapped, i + 1))).toEqual([1, 2, 1, 1, 1, 1, 3])
  expect([0, 1, 2, 3, 9, 99].map((row) => lineAt(wrapped, row))).toEqual([1, 2, 2, 3, 7, 7])
})

test('a collapsed section has no rows, whatever is collapsed inside it', () => {
  const folded = layoutOf(7, [group(2, 5), group(3, 4), group(6, 7)], 0, widthOf)
  expect(linesBetween(folded, -15, 100)).toEqual([1, 2, 6])
  expect(rowsOf(folded)).toBe(3)
  expect(lineAt(folded, 2)).toBe(6)
})

test('some characters are two columns wide', () => {
  expect([columnsOf('abc'), columnsOf('构建'), columnsOf('é'), columnsOf('🎮')]).toEqual([3, 4, 1, 2])
})

test('an empty log has no rows', () => {
  expect(linesBetween(layoutOf(0, [], 0, widthOf), 0, 10)).toEqual([])
})
