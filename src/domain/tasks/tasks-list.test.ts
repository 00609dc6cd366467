import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../contract/sets.ts'

/** The tasks that a filter finds: every combination of a few values, compared with the same filter over plain objects. */

const ROWS = 48
const tasks = Array.from({ length: ROWS }, (_, i) => ({
  key: `t${i}`,
  project: 'star',
  title: `Task ${i}`,
  state: TASK_STATES[i % 4]!,
  task_type: TASK_TYPES[i % 6]!,
  priority: PRIORITIES[Math.floor(i / 4) % 4]!,
  assignee_handle: i % 3 === 0 ? `agent-${i % 2}` : null,
  user: i % 3 === 1 ? (i % 2 ? 'lead' : 'artist') : null,
  labels: [...(i % 2 ? ['odd'] : []), ...(i % 5 ? [] : ['five', 'Five'])],
  created_at: new Date(Date.UTC(2026, 0, 1 + Math.floor(i / 2))).toISOString(),
  updated_at: new Date(Date.UTC(2026, 1, 1 + ((i * 7) % ROWS))).toISOString(),
}))
type Row = (typeof tasks)[number]

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    tasks: [...tasks, { key: 'other', project: 'moon', title: 'Elsewhere', labels: ['odd'], state: 'blocked' }],
  })
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)

const list = async (query: Record<string, string>) => {
  const answer = await inside(`/tasks?${new URLSearchParams({ limit: '50', ...query })}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.json.tasks.map((task: { title: string }) => task.title)
}
/** The expected rows, newest first; later rows of the same time come first. */
const titles = (keep: (row: Row) => boolean) =>
  tasks
    .map((row, i) => ({ row, i }))
    .filter(({ row }) => keep(row))
    .sort((a, b) => b.row.created_at.localeCompare(a.row.created_at) || b.i - a.i)
    .map(({ row }) => row.title)

const FILTERS: Record<string, [value: () => string, keep: (row: Row) => boolean][]> = {
  state: [
    [() => 'blocked', (row) => row.state === 'blocked'],
    [() => 'to_do,completed', (row) => ['to_do', 'completed'].includes(row.state)],
  ],
  task_type: [[() => 'bug', (row) => row.task_type === 'bug']],
  priority: [[() => 'high', (row) => row.priority === 'high']],
  assignee: [
    [() => 'handle:agent-0', (row) => row.assignee_handle === 'agent-0'],
    [() => `user:${id('users', 'lead')}`, (row) => row.user === 'lead'],
  ],
  label: [[() => 'odd', (row) => row.labels.includes('odd')]],
  updated_since: [[() => '2026-02-20', (row) => row.updated_at >= '2026-02-20']],
  format: [[() => 'compact', () => true]],
}

describe('the list of tasks', () => {
  test('contains all of its project, newest first', async () => {
    expect(await list({})).toEqual(titles(() => true))
  })

  test.each(
    Object.entries(FILTERS).flatMap(([name, choices]) =>
      choices.map((choice, i) => [`${name} (${i + 1})`, name, choice] as const),
    ),
  )('is filtered by %s', async (_, name, [value, keep]) => {
    const found = await list({ [name]: value() })
    expect(found).toEqual(titles(keep))
    expect(found.length).toBeGreaterThan(0)
  })

  const pairs = Object.entries(FILTERS).flatMap(([name, choices], i) =>
    Object.entries(FILTERS)
      .slice(i + 1)
      .map(([other, others]) => [name, other, choices.at(-1)!, others.at(-1)!] as const),
  )
  test.each(pairs)('is filtered by %s and %s together', async (name, other, [a, keepA], [b, keepB]) => {
    expect(await list({ [name]: a(), [other]: b() })).toEqual(titles((row) => keepA(row) && keepB(row)))
  })

  test('is filtered by everything together', async () => {
    const query = Object.fromEntries(Object.entries(FILTERS).map(([name, choices]) => [name, choices.at(-1)![0]()]))
    const keep = (row: Row) => Object.values(FILTERS).every((choices) => choices.at(-1)![1](row))
    expect(await list(query)).toEqual(titles(keep))
  })

  test('accepts a state twice and in any order', async () => {
    const both = titles((row) => ['to_do', 'blocked'].includes(row.state))
    for (const state of ['to_do,blocked', 'blocked,to_do', 'blocked,to_do,blocked,blocked'])
      expect(await list({ state })).toEqual(both)
    expect(await list({ state: TASK_STATES.join(',') })).toEqual(titles(() => true))
    expect(await list({ state: 'blocked,blocked' })).toEqual(titles((row) => row.state === 'blocked'))
  })

  test('rejects a list of states with one invalid value', async () => {
    for (const state of ['to_do,doing', 'to_do,', ',to_do', 'to_do, blocked', 'to_do;blocked', ',', 'TO_DO'])
      expect(await inside(`/tasks?state=${encodeURIComponent(state)}`), state).toMatchObject({
        status: 422,
        json: { error: 'invalid_state', valid_states: [...TASK_STATES] },
      })
  })

  test('rejects an assignee of an unknown form', async () => {
    for (const assignee of [
      '',
      'coder',
      'handle:',
      'handle:Coder',
      `handle:${'a'.repeat(51)}`,
      'user:',
      'user:lead',
      'user:-1',
      'user:1.5',
      'USER:1',
      ' user:1',
      'handle:a,handle:b',
      'agent:coder',
      'user:1\n',
    ])
      expect(await inside(`/tasks?assignee=${encodeURIComponent(assignee)}`), assignee).toMatchObject({
        status: 422,
        json: { error: 'invalid_assignee', message: expect.any(String), expected_format: expect.any(String) },
      })
  })

  test('is empty for an unused value', async () => {
    for (const query of [
      { label: 'none' },
      { label: '' },
      { label: 'ODD' },
      { label: 'od' },
      { label: '%' },
      { label: 'odd\0' },
      { label: 'odd,five' },
      { assignee: 'handle:nobody' },
      { assignee: 'user:0' },
      { assignee: 'user:99999999999999999999' },
      { updated_since: '2027-01-01' },
    ] as Record<string, string>[])
      expect(await list(query), JSON.stringify(query)).toEqual([])
  })

  test('is case-sensitive for labels', async () => {
    expect(await list({ label: 'Five' })).toEqual(titles((row) => row.labels.includes('Five')))
  })

  test('keeps its filters from page to page, and the filter may change on the way', async () => {
    const first = (await inside('/tasks?state=to_do,blocked&limit=5')).json
    const cursor = encodeURIComponent(first.pagination.next_cursor)
    const rest = (await inside(`/tasks?state=to_do,blocked&limit=50&cursor=${cursor}`)).json
    const walked = [...first.tasks, ...rest.tasks].map((task: { title: string }) => task.title)
    expect(walked).toEqual(titles((row) => ['to_do', 'blocked'].includes(row.state)))
    expect((await inside(`/tasks?label=odd&cursor=${cursor}`)).status).toBe(200)
  })
})
