import { expect, test } from 'vitest'
import type { Comment } from '../comments/queries.ts'
import { threadsOf } from './points.ts'

const said = (id: number, point: Comment['point'], more: Partial<Comment> = {}) =>
  ({ id, point, asset_version: 2, deleted_at: null, resolved_at: null, body: `${id}`, ...more }) as Comment
const [seam, edge] = [
  { x: 0.2, y: 0.4 },
  { x: 0.9, y: 0 },
]

test('comments at one point of a version are one thread, and points are numbered by age', () => {
  const threads = threadsOf([said(4, seam), said(3, edge), said(2, seam), said(1, null), said(5, seam, { asset_version: 1 })], 2)
  expect(threads.map(({ number, point, comments }) => [number, point, comments.map(({ id }) => id)])).toEqual([
    [1, seam, [2, 4]],
    [2, edge, [3]],
  ])
})

test('a point without remaining comments is not shown, and the others keep their numbers', () => {
  const threads = threadsOf([said(1, seam, { deleted_at: 'now' }), said(2, edge)], 2)
  expect(threads.map(({ number }) => number)).toEqual([2])
})

test('the first remaining comment says whether a point is resolved', () => {
  const at = '2026-01-01T00:00:00.000Z'
  expect(threadsOf([said(1, seam, { resolved_at: at }), said(2, seam)], 2)[0]!.resolved).toBe(true)
  expect(threadsOf([said(1, seam, { resolved_at: at, deleted_at: at }), said(2, seam)], 2)[0]!.resolved).toBe(false)
})
