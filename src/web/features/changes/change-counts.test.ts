import { expect, test } from 'vitest'
import { countsOf } from './change-counts.ts'

const of = (author: string, count: number, file_count: number | null = 2) =>
  Array.from({ length: count }, () => ({ author, file_count }))

test('changes are counted by author, the busiest first', () => {
  const changes = [...of('Ann', 2), ...of('Ben', 5), ...of('Cleo', 1), ...of('Dora', 1, null), ...of('Eve', 1)]
  expect(countsOf(changes, false)).toBe('10 changes in 18 files by 5 authors: Ben (5), Ann (2), Cleo (1) and 2 others.')
})

test('unknown files are not counted, and a cut list says so', () => {
  expect(countsOf(of('Ann', 11, null), true)).toBe('The newest 11 changes by 1 author: Ann (11).')
})
