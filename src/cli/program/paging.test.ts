import { expect, test } from 'vitest'
import { MAX_LIMIT } from '../../contract/params.ts'
import { collect } from './paging.ts'

/** A list of this many rows; a cursor is the index of the next one. */
const listOf = (total: number) => {
  const limits: number[] = []
  const ask = async ({ limit, cursor = '0' }: { limit: number; cursor?: string }) => {
    limits.push(limit)
    const [from, to] = [Number(cursor), Math.min(total, Number(cursor) + limit)]
    const has_more = to < total
    const rows = Array.from({ length: to - from }, (_, i) => from + i)
    return { rows, pagination: { limit, has_more, next_cursor: has_more ? String(to) : null } }
  }
  return { ask, limits }
}

test('several pages make as many rows as asked for, in order', async () => {
  const { ask, limits } = listOf(1000)
  const { rows, pagination } = await collect(ask, 'rows', 2 * MAX_LIMIT + 7)
  expect(rows).toEqual(Array.from({ length: 2 * MAX_LIMIT + 7 }, (_, i) => i))
  expect(limits).toEqual([MAX_LIMIT, MAX_LIMIT, 7])
  expect(pagination.has_more).toBe(true)
})

test('a shorter list ends with its last row', async () => {
  const { ask } = listOf(MAX_LIMIT + 3)
  const { rows, pagination } = await collect(ask, 'rows', 1000)
  expect(rows).toHaveLength(MAX_LIMIT + 3)
  expect(pagination.has_more).toBe(false)
})

test('an empty page with another cursor does not end the list', async () => {
  const ask = async ({ cursor = '0' }: { cursor?: string }) => ({
    rows: cursor === '2' ? [1] : [],
    pagination: { limit: 1, has_more: cursor !== '2', next_cursor: cursor === '2' ? null : String(Number(cursor) + 1) },
  })
  expect((await collect(ask, 'rows', 10)).rows).toEqual([1])
})

test('a service that repeats its cursor ends the list', async () => {
  const pagination = { limit: 1, has_more: true, next_cursor: 'again' }
  let asked = 0
  const ask = async ({ cursor }: { cursor?: string }) => {
    asked++
    return { rows: cursor === undefined ? [1] : [], pagination }
  }
  expect((await collect(ask, 'rows', 10)).rows).toEqual([1])
  expect(asked).toBe(2)
})
