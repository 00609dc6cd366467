import { describe, expect, test } from 'vitest'
import { errorLines, foundLines, linesOf, piecesOf, stepFrom } from './log-lines.ts'

test('a log becomes lines without colours, carriage returns and a last empty one', () => {
  expect(linesOf('\u001b[31mred\u001b[0m\r\n\nend\n')).toEqual(['red', '', 'end'])
  expect(linesOf('')).toEqual([])
})

test('lines that look like trouble are found, and those that count none are not', () => {
  const lines = ['a.cpp(5): error C2065', 'Build succeeded: 0 errors', 'Errors: 0', 'FATAL: no disk', 'terror']
  expect(errorLines(lines)).toEqual([1, 4])
})

describe('a search', () => {
  test('finds in any case, and nothing for nothing', () => {
    expect(foundLines(['One', 'two', 'ONE more'], 'one')).toEqual([1, 3])
    expect(foundLines(['One'], '')).toEqual([])
  })

  test('walks in both directions and begins anew', () => {
    expect([stepFrom([2, 5], undefined, 1), stepFrom([2, 5], 2, 1), stepFrom([2, 5], 5, 1)]).toEqual([2, 5, 2])
    expect([stepFrom([2, 5], 5, -1), stepFrom([2, 5], 2, -1), stepFrom([], 2, -1)]).toEqual([2, 5, undefined])
  })

  test('cuts a line where the words stand', () => {
    expect(piecesOf('aXbxc', 'x')).toEqual(['a', 'X', 'b', 'x', 'c'])
    expect(piecesOf('abc', '')).toEqual(['abc'])
  })
})
