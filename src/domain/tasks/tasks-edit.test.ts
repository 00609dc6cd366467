import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { TASK_STATES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** How a task is changed. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const create = async (task: object = {}) =>
  (await inside('/tasks', { method: 'POST', body: { task: { title: 'A task', ...task } } })).json
const patch = (taskId: number, task: unknown) => inside(`/tasks/${taskId}`, { method: 'PATCH', body: { task } })
const show = async (taskId: number) => (await inside(`/tasks/${taskId}`)).json
/** Created long ago, so that an edit shows in `updated_at`. */
const old = async (task: object = {}) => {
  const made = await create(task)
  await studio.db.execute(sql`update tasks set created_at = '2026-01-01', updated_at = '2026-01-01' where id = ${made.id}`)
  return show(made.id)
}

describe('an edit', () => {
  test.each([
    ['title', { title: 'Another' }],
    ['description', { description: 'Longer' }],
    ['state', { state: 'completed' }],
    ['task_type', { task_type: 'bug' }],
    ['priority', { priority: 'low' }],
    ['assignee_handle', { assignee_handle: 'coder' }],
    ['labels', { labels: ['x', 'y'] }],
  ])('changes %s and leaves the rest', async (_, edit) => {
    const before = await old({ description: 'Long', labels: ['a'], metadata: { a: 1 } })
    const answer = await patch(before.id, edit)
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({ ...before, ...edit, updated_at: answer.json.updated_at })
    expect(answer.json.updated_at > before.updated_at).toBe(true)
    expect(await show(before.id)).toEqual(answer.json)
  })

  test('replaces metadata as a whole and keeps the creator of the task', async () => {
    const before = await old({ metadata: { a: 1, client: { name: 'x' } } })
    const { json } = await inside(`/tasks/${before.id}`, {
      method: 'PATCH',
      as: 'artist',
      body: { task: { metadata: { b: 2 } } },
    })
    expect(json.metadata).toEqual({ b: 2, via_api_token_id: Number(id('tokens', 'lead')) })
  })

  test('trims a title and stores a label once, as on creation', async () => {
    const { json } = await patch((await create()).id, { title: ' New ', labels: ['a', 'a'] })
    expect(json).toMatchObject({ title: 'New', labels: ['a'] })
  })

  test('changes any state to any other', async () => {
    const { id: taskId } = await create()
    for (const from of TASK_STATES)
      for (const to of TASK_STATES) {
        await patch(taskId, { state: from })
        expect((await patch(taskId, { state: to })).json.state).toBe(to)
      }
  })

  test('clears the agent when a person is assigned, and the other way round', async () => {
    const artist = Number(id('users', 'artist'))
    const { id: taskId } = await create({ assignee_handle: 'coder' })
    expect((await patch(taskId, { user_id: artist })).json).toMatchObject({ user_id: artist, assignee_handle: null })
    expect((await patch(taskId, { assignee_handle: 'coder' })).json).toMatchObject({ user_id: null, assignee_handle: 'coder' })
    const both = { user_id: artist, assignee_handle: null }
    expect((await patch(taskId, both)).json).toMatchObject(both)
  })

  test('with null for the assignee unassigns the task', async () => {
    const { id: agents } = await create({ assignee_handle: 'coder' })
    expect((await patch(agents, { user_id: null })).json.assignee_handle).toBe('coder')
    expect((await patch(agents, { assignee_handle: null })).json.assignee_handle).toBe(null)
    const { id: persons } = await create({ user_id: Number(id('users', 'lead')) })
    expect((await patch(persons, { assignee_handle: null })).json.user_id).toBe(Number(id('users', 'lead')))
    expect((await patch(persons, { user_id: null })).json.user_id).toBe(null)
  })

  test('that changes nothing returns 200 and leaves updated_at unchanged', async () => {
    const metadata = { b: 1, a: { c: [1, 2] } }
    const before = await old({ description: 'd', labels: ['a'], metadata, assignee_handle: 'coder' })
    for (const edit of [
      {},
      { title: 'A task' },
      { title: ' A task ' },
      { state: 'to_do', priority: 'medium', task_type: 'chore' },
      { labels: ['a'] },
      { metadata: { a: { c: [1, 2] }, b: 1 } },
      { description: 'd' },
      { description_append: '' },
      { assignee_handle: 'coder' },
      { user_id: null },
    ]) {
      const answer = await patch(before.id, edit)
      expect(answer.status).toBe(200)
      expect(answer.json, JSON.stringify(edit)).toEqual(before)
    }
  })

  test('makes new labels searchable at once and drops the old ones', async () => {
    const { id: taskId } = await create({ labels: ['before'] })
    await patch(taskId, { labels: ['after'] })
    const found = async (label: string) =>
      (await inside(`/tasks?label=${label}`)).json.tasks.map((task: { id: number }) => task.id)
    expect(await found('before')).toEqual([])
    expect(await found('after')).toEqual([taskId])
  })
})

describe('description_append', () => {
  test('appends exactly what was sent', async () => {
    const { id: taskId } = await create({ description: 'One.' })
    await patch(taskId, { description_append: '\n\nTwo by kim@example.com.' })
    expect((await patch(taskId, { description_append: ' ' })).json.description).toBe('One.\n\nTwo by kim@example.com. ')
  })

  test('together with a description appends to the new one', async () => {
    const { id: taskId } = await create({ description: 'Old' })
    expect((await patch(taskId, { description: 'New', description_append: '!' })).json.description).toBe('New!')
  })

  test('is limited to 64 KiB in total', async () => {
    const { id: taskId } = await create({ description: 'é'.repeat(32_767) })
    expect((await patch(taskId, { description_append: 'é' })).status).toBe(200)
    const answer = await patch(taskId, { description_append: 'x' })
    expect(answer).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
    expect(answer.json.message).toContain('description_append')
    expect(Buffer.byteLength((await show(taskId)).description)).toBe(65_536)
  })

  test('from many requests at once loses nothing', async () => {
    const { id: taskId } = await create()
    const parts = Array.from({ length: 12 }, (_, i) => `<${i}>`)
    const answers = await Promise.all(parts.map((part) => patch(taskId, { description_append: part })))
    expect(answers.map((answer) => answer.status)).toEqual(parts.map(() => 200))
    const { description } = await show(taskId)
    expect(description.match(/<\d+>/g).sort()).toEqual([...parts].sort())
  })
})

describe('an edit is refused', () => {
  test.each<[what: string, edit: unknown, error: string]>([
    ['with an unknown field', { surprise: 1 }, 'unknown_parameter'],
    ['with an id', { id: 1 }, 'unknown_parameter'],
    ['with links', { links: {} }, 'unknown_parameter'],
    ['with null for a task', null, 'invalid_parameter'],
    ['with null for a title', { title: null }, 'invalid_parameter'],
    ['with a blank title', { title: ' ' }, 'invalid_parameter'],
    ['with a title too long', { title: 'x'.repeat(256) }, 'invalid_parameter'],
    ['with a description too long', { description: 'x'.repeat(65_537) }, 'invalid_parameter'],
    ['with NUL in what is appended', { description_append: '\0' }, 'invalid_parameter'],
    ['with via_api_token_id', { metadata: { via_api_token_id: 5 } }, 'invalid_parameter'],
    ['with an unknown state', { state: 'doing' }, 'invalid_state'],
    ['with an unknown type', { task_type: 'epic' }, 'invalid_task_type'],
    ['with an unknown priority', { priority: 'urgent' }, 'invalid_priority'],
    ['with a bad handle', { assignee_handle: 'Coder' }, 'invalid_assignee'],
    ['with a non-member', { user_id: 2_000_000_000 }, 'invalid_assignee'],
  ])('%s, and nothing of it is stored', async (_, edit, error) => {
    const before = await old({ description: 'd' })
    const sent = typeof edit === 'object' && edit !== null ? { ...edit, labels: ['new'] } : edit
    expect(await patch(before.id, sent)).toMatchObject({ status: 422, json: { error, message: expect.any(String) } })
    expect(await show(before.id)).toEqual(before)
  })

  test('with both assignees, or a member of another account', async () => {
    const before = await old()
    for (const edit of [
      { user_id: Number(id('users', 'lead')), assignee_handle: 'coder' },
      { user_id: Number(id('users', 'rival')) },
    ])
      expect(await patch(before.id, edit)).toMatchObject({
        status: 422,
        json: { error: 'invalid_assignee', expected_format: expect.any(String) },
      })
    expect(await show(before.id)).toEqual(before)
  })

  test('with an unknown key next to the task', async () => {
    const { id: taskId } = await create()
    const answer = await inside(`/tasks/${taskId}`, { method: 'PATCH', body: { task: {}, state: 'blocked' } })
    expect(answer).toMatchObject({ status: 422, json: { error: 'unknown_parameter' } })
  })
})
