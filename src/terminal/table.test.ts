import { describe, expect, test } from 'vitest'
import { columnWidths } from './column-widths.ts'
import { type Paint, plain } from './paint.ts'
import { isEndOf, shortened } from './short-ids.ts'
import { aligned, extra, field, main } from './table.ts'
import { columnsOf, cutMiddle, wrap } from './text.ts'

const column = (natural: number, role: 'id' | 'main' | 'extra' | 'other' = 'other') => ({
  natural,
  fixed: role === 'id',
  main: role === 'main',
  extra: role === 'extra',
})

describe('column widths', () => {
  test('are natural if all fit', () => {
    expect(columnWidths([column(3, 'id'), column(50, 'main'), column(10, 'extra')], 80)).toEqual([3, 50, 10])
  })

  test('drop extras from the right before the main column gets uncomfortable', () => {
    expect(columnWidths([column(3, 'id'), column(60, 'main'), column(20, 'extra'), column(20, 'extra')], 80)).toEqual([
      3, 53, 20, 0,
    ])
  })

  test('shrink the others before the main column, which keeps 24', () => {
    expect(columnWidths([column(36, 'id'), column(60, 'main'), column(30)], 80)).toEqual([36, 28, 12])
    expect(columnWidths([column(36, 'id'), column(60, 'main'), column(30), column(30)], 80)).toEqual([36, 24, 7, 7])
  })
})

describe('tables', () => {
  const ids = ['01a1e1c9-0cb9-70b9-a621-9c8eaf46be97', '01a1e1c9-0cb9-70b8-bde3-abe92963b381']
  const rows = ids.map((id, index) => ({
    id,
    title: `cinder-server-linux-debug-with-a-long-name #${index}`,
    status: 'failed',
    note: 'failed',
  }))
  const marked: Paint = (style, text) => `<${style}>${text}</${style}>`

  test('show long ids by their end, in full on request', () => {
    expect(aligned(rows, ['id', 'title'], 80, plain)[1]).toMatch(/^af46be97 {2}cinder/)
    expect(aligned(rows, ['id', 'title'], undefined, plain)[1]).toContain(ids[0])
  })

  test('lengthen short ids until they differ', () => {
    const alike = ['01a1e1c9-0cb9-70b9-a621-9c8eaf46be97', '01a1e1c9-0cb9-70b9-a621-9c81af46be97']
    expect(shortened(alike)).toEqual(['eaf46be97', '1af46be97'])
    expect(shortened(['7', '8'])).toEqual(['7', '8'])
    expect(isEndOf(ids[0]!, 'af46be97')).toBe(true)
  })

  test('cut the main column in the middle if its end distinguishes it', () => {
    const lines = aligned(rows, ['id', { ...main('title'), ends: true }, field('status'), extra('note')], 44, plain)
    expect(lines[1]).toBe('af46be97  cinder-serve…-long-name #0  failed')
    expect(lines[0]).not.toContain('NOTE')
  })

  test('color the words of a state, not the same word elsewhere', () => {
    expect(aligned(rows, ['status', 'note'], 80, marked)[1]).toBe('<red>failed</red>  failed')
  })
})

describe('text', () => {
  test('is cut in the middle by terminal columns', () => {
    expect(cutMiddle('abcdefghij', 5)).toBe('ab…ij')
    expect(columnsOf(cutMiddle('日本語日本語', 7))).toBeLessThanOrEqual(7)
    expect(cutMiddle('abc', 3)).toBe('abc')
  })

  test('wraps between words, after path separators, and elsewhere only if necessary', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
    expect(wrap('D:\\build\\Source\\Beacon.cpp(5): error', 16)).toEqual(['D:\\build\\Source\\', 'Beacon.cpp(5):', 'error'])
    expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
    expect(wrap('日本語日本語', 4)).toEqual(['日本', '語日', '本語'])
    expect(wrap('', 4)).toEqual([''])
  })
})
