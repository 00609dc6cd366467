import { expect, test } from 'vitest'
import { lanesOf } from './timeline-lanes.ts'

const day = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString()
const deployment = (project_name: string, version: string, created: number, more: object = {}) => ({
  id: version,
  project_id: project_name.length,
  project_name,
  platform: 'steam' as const,
  store: 'steam',
  track: null,
  deployed_at: null,
  status: 'live' as const,
  version,
  created_at: day(created),
  live_at: day(created),
  ...more,
})

test('a live deployment stays live until the next one of its project and store', () => {
  const lanes = lanesOf(
    [
      deployment('Star', '2', 6),
      deployment('Star', 'waits', 7, { status: 'in_review', live_at: null }),
      deployment('Star', '1', 1),
      deployment('Moonlight', 'm', 3),
      deployment('Star', 'back', 2, { status: 'rolled_back' }),
    ],
    [Date.parse(day(1)), Date.parse(day(11))],
  )
  expect(
    lanes.map(({ project_name, marks }) => [
      project_name,
      marks.map(({ deployment, from, to }) => [deployment.version, from, to]),
    ]),
  ).toEqual([
    ['Moonlight', [['m', 0.2, 1]]],
    [
      'Star',
      [
        ['1', 0, 0.1],
        ['back', 0.1, null],
        ['2', 0.5, 1],
        ['waits', 0.6, null],
      ],
    ],
  ])
})

test('the lanes of one project are next to each other, by store and track', () => {
  const lanes = lanesOf(
    [
      deployment('Star', '1', 1, { store: 'steam', track: 'beta' }),
      deployment('Moonlight', '2', 2, { store: 'steam' }),
      deployment('Star', '3', 3, { store: 'epic' }),
      deployment('Star', '4', 4, { store: 'steam' }),
    ],
    [Date.parse(day(1)), Date.parse(day(11))],
  )
  expect(lanes.map(({ project_name, store, track }) => [project_name, store, track])).toEqual([
    ['Moonlight', 'steam', null],
    ['Star', 'epic', null],
    ['Star', 'steam', null],
    ['Star', 'steam', 'beta'],
  ])
})
