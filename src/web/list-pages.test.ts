import { expect, test } from 'vitest'
import {
  ANY_BUILD,
  currentPage,
  currentVersion,
  invalidateLists,
  invalidateRecords,
  type ListPage,
  mergePage,
  rowKey,
} from './list-pages.ts'

const page = (ids: number[], next: string | undefined): ListPage => ({
  reply: {},
  rows: ids.map((id) => ({ id })),
  next,
  version: currentVersion(),
})
const pagesOf = (...pages: [number[], string | undefined][]) => ({
  pages: pages.map(([ids, next]) => page(ids, next)),
  pageParams: ['', ...pages.slice(0, -1).map(([, next]) => next)],
})
const keys = ({ rows, next }: ListPage) => [rows.map(rowKey).join(' '), next]
const open = () => pagesOf([[9, 8, 7], 'after 7'], [[6, 5, 4], 'after 4'], [[3, 2, 1], undefined])

test('a page is kept until one of its records changes, and the first is always loaded again', () => {
  const old = open()
  expect(currentPage('listBuilds', old, '')).toBeUndefined()
  expect(currentPage('listBuilds', old, 'after 7')).toBe(old.pages[1])
  invalidateRecords([5])
  expect(currentPage('listBuilds', old, 'after 7')).toBeUndefined()
  expect(currentPage('listBuilds', old, 'after 4')).toBe(old.pages[2])
})

test.each([
  ['its asset', { id: 31, asset_id: 41 }, 41],
  ['its breakage', { id: 32, breakage_id: 42 }, 42],
  ['any build while one of its builds runs', { id: 33, builds: { running: 1 } }, ANY_BUILD],
])('a row is outdated when %s changes', (_, row, record) => {
  const old = pagesOf([[9], 'after 9'], [[8], undefined])
  const shown = { ...old, pages: [old.pages[0]!, { ...old.pages[1]!, rows: [row] }] }
  expect(currentPage('listBuilds', shown, 'after 9')).toBe(shown.pages[1])
  invalidateRecords([record])
  expect(currentPage('listBuilds', shown, 'after 9')).toBeUndefined()
})

test('a row without running builds is current when any build changes', () => {
  const old = pagesOf([[9], 'after 9'], [[8], undefined])
  const shown = { ...old, pages: [old.pages[0]!, { ...old.pages[1]!, rows: [{ id: 34, builds: { running: 0 } }] }] }
  invalidateRecords([ANY_BUILD])
  expect(currentPage('listBuilds', shown, 'after 9')).toBe(shown.pages[1])
})

test('a list with unknown changes is loaded as a whole, others are not', () => {
  const old = open()
  invalidateLists(['listTasks'])
  expect(currentPage('listTasks', old, 'after 4')).toBeUndefined()
  expect(currentPage('listBuilds', old, 'after 4')).toBe(old.pages[2])
  invalidateLists(['all'])
  expect(currentPage('listBuilds', old, 'after 4')).toBeUndefined()
})

test('rows that new ones push off the first page stay, and the second page is still requested as before', () => {
  expect(keys(mergePage(page([10, 9, 8], 'after 8'), open(), ''))).toEqual(['10 9 8 7', 'after 7'])
})

test('a removed row causes no duplicates', () => {
  expect(keys(mergePage(page([9, 7, 6], 'after 6'), open(), ''))).toEqual(['9 7', 'after 7'])
  expect(keys(mergePage(page([6, 4, 3], 'after 3'), open(), 'after 7'))).toEqual(['6 4', 'after 4'])
})

test('more new rows than a page are loaded until they meet the existing ones', () => {
  const first = mergePage(page([15, 14, 13], 'after 13'), open(), '')
  expect(keys(first)).toEqual(['15 14 13', 'after 13'])
  expect(keys(mergePage(page([12, 11, 10], 'after 10'), open(), 'after 13'))).toEqual(['12 11 10', 'after 10'])
  expect(keys(mergePage(page([10, 9, 8], 'after 8'), open(), 'after 10'))).toEqual(['10 9 8 7', 'after 7'])
})

test('a list that has become short ends where the server says', () => {
  expect(keys(mergePage(page([9, 8], undefined), open(), ''))).toEqual(['9 8', undefined])
})
