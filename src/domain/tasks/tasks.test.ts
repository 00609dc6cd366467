import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { PRIORITIES, TASK_STATES, TASK_TYPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

/** Creating a task, and its shape. */

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const post = (task: unknown, more: object = {}) => inside('/tasks', { method: 'POST', body: { task, ...more } })
const create = async (task: object) => {
  const answer = await post({ title: 'A task', ...task })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}
const show = async (taskId: number) => (await inside(`/tasks/${taskId}`)).json
const count = async () => (await studio.db.one<{ n: number }>(sql`select count(*) as n from tasks`))!.n
const bytes = (text: string) => Buffer.byteLength(text)

describe('a new task', () => {
  test('needs a title and nothing else', async () => {
    const task = await create({ title: 'Fix the jump' })
    expect(task).toEqual({
      id: expect.any(Number),
      account_id: Number(id('accounts', 'owl')),
      project_id: Number(id('projects', 'star')),
      title: 'Fix the jump',
      description: '',
      state: 'to_do',
      task_type: 'chore',
      priority: 'medium',
      assignee_handle: null,
      user_id: null,
      labels: [],
      metadata: { via_api_token_id: Number(id('tokens', 'lead')) },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: task.created_at,
      urls: { web: `https://gold.example/projects/${id('projects', 'star')}/tasks/${task.id}` },
      links: { changes: [], build_runs: [], deployments: [] },
    })
    expect(await show(task.id)).toEqual(task)
  })

  test('stores every given field', async () => {
    const sent = {
      title: 'Paint the moon',
      description: 'In *silver*.\n\n- twice',
      state: 'blocked',
      task_type: 'art',
      priority: 'critical',
      user_id: Number(id('users', 'artist')),
      labels: ['moon', 'Silver paint', 'äöü', '🌙'],
      metadata: { client: { name: 'tests', version: '1' }, deep: [{ n: 1.5, none: null, yes: true }] },
    }
    const task = await create(sent)
    expect(task).toMatchObject(sent)
    expect(await show(task.id)).toMatchObject(sent)
  })

  test('returns its text as written, addresses included', async () => {
    const title = 'Ask kim@example.com <b>now</b>'
    const description = ' Kim <kim@example.com>\r\n\tsaid "no"; \u202eRTL \u{1F3AE} '
    const labels = ['for kim@example.com']
    const task = await create({ title, description, labels, metadata: { by: 'kim@example.com' } })
    expect(await show(task.id)).toMatchObject({ title, description, labels, metadata: { by: 'kim@example.com' } })
  })

  test('trims its title before checking the length', async () => {
    expect(await create({ title: '  \t Fix it \n' })).toMatchObject({ title: 'Fix it' })
    expect(await create({ title: `${' '.repeat(3000)}x${' '.repeat(3000)}` })).toMatchObject({ title: 'x' })
    expect((await create({ title: `${'é'.repeat(255)} ` })).title).toHaveLength(255)
    expect([...(await create({ title: '🎮'.repeat(255) })).title]).toHaveLength(255)
  })

  test('accepts the maximum sizes', async () => {
    const description = 'é'.repeat(32_768)
    const labels = Array.from({ length: 50 }, (_, i) => `${i}`.padStart(100, 'x'))
    const metadata = { text: 'x'.repeat(16_384 - bytes('{"text":""}')) }
    expect(await create({ description, labels, metadata })).toMatchObject({ description, labels, metadata })
    expect((await create({ labels: ['🎮'.repeat(100)] })).labels).toEqual(['🎮'.repeat(100)])
  })

  test('stores a label once', async () => {
    expect((await create({ labels: ['b', 'a', 'b'] })).labels).toEqual(['b', 'a'])
  })

  test('accepts metadata nested up to 64 levels', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { in: nested(levels - 1) })
    expect((await create({ metadata: nested(64) })).metadata).toMatchObject(nested(64))
    expect(await inside('/tasks', { method: 'POST', body: { task: { title: 'Deep', metadata: nested(65) } } })).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('deeper than 64') },
    })
  })

  test('stores every key of its metadata, whatever its characters', async () => {
    const keys = [
      'a\nb',
      '\r',
      '\u2028',
      'x\u2029y',
      '',
      ' ',
      '\u0085',
      '\t',
      '"',
      '\\',
      '😀',
      'constructor',
      'toString',
      'toJSON',
    ]
    const metadata = Object.fromEntries(keys.map((key, index) => [key, { [key]: index }]))
    const task = await create({ metadata })
    expect(task.metadata).toMatchObject(metadata)
    expect((await show(task.id)).metadata).toMatchObject(metadata)
  })

  test('shows its creator only in the detail', async () => {
    const task = await create({ metadata: { mine: 1 } })
    expect(task.metadata).toEqual({ mine: 1, via_api_token_id: Number(id('tokens', 'lead')) })
    const listed = (await inside('/tasks')).json.tasks.find((one: { id: number }) => one.id === task.id)
    expect(listed.metadata).toEqual({ mine: 1 })
    expect(listed).not.toHaveProperty('links')
  })
})

describe('a task is refused', () => {
  const long = 'x'.repeat(256)
  test.each<[what: string, body: object, message: RegExp]>([
    ['without a body', [], /body/],
    ['without a task', {}, /task/],
    ['with a task that is a list', { task: [] }, /task/],
    ['with a task that is text', { task: 'Fix it' }, /task/],
    ['with null for a task', { task: null }, /task/],
    ['without a title', { task: { description: 'x' } }, /title/],
    ['with an empty title', { task: { title: '' } }, /title/],
    ['with a blank title', { task: { title: ' \n ' } }, /title/],
    ['with a title of 256 characters', { task: { title: long } }, /title/],
    ['with null for a title', { task: { title: null } }, /title/],
    ['with a number for a title', { task: { title: 7 } }, /title/],
    ['with NUL in its title', { task: { title: 'a\0b' } }, /title/],
    ['with NUL in its description', { task: { title: 'x', description: '\0' } }, /description/],
    ['with null for a description', { task: { title: 'x', description: null } }, /description/],
    ['with a description over 64 KiB', { task: { title: 'x', description: `${'é'.repeat(32_768)}x` } }, /description/],
    ['with 51 labels', { task: { title: 'x', labels: Array.from({ length: 51 }, (_, i) => `${i}`) } }, /labels/],
    ['with an empty label', { task: { title: 'x', labels: [''] } }, /labels/],
    ['with a label of 101 characters', { task: { title: 'x', labels: ['x'.repeat(101)] } }, /labels/],
    ['with a label that is a number', { task: { title: 'x', labels: [1] } }, /labels/],
    ['with text for labels', { task: { title: 'x', labels: 'a,b' } }, /labels/],
    ['with a list for metadata', { task: { title: 'x', metadata: [] } }, /metadata/],
    ['with null for metadata', { task: { title: 'x', metadata: null } }, /metadata/],
    ['with metadata over 16 KiB', { task: { title: 'x', metadata: { a: 'é'.repeat(8_192) } } }, /metadata/],
    ['with NUL in its metadata', { task: { title: 'x', metadata: { a: ['\0'] } } }, /metadata/],
    ['with NUL in a key of its metadata', { task: { title: 'x', metadata: { '\0': 1 } } }, /metadata/],
    ['with via_api_token_id', { task: { title: 'x', metadata: { via_api_token_id: 1 } } }, /via_api_token_id/],
  ])('%s', async (_, body, message) => {
    const before = await count()
    const answer = await inside('/tasks', { method: 'POST', body })
    expect(answer.status, answer.text).toBe(422)
    expect(answer.json).toEqual({ error: 'invalid_parameter', message: expect.stringMatching(message) })
    expect(await count()).toBe(before)
  })

  test('without any body at all', async () => {
    expect(await inside('/tasks', { method: 'POST' })).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
  })

  test.each([
    ['state', 'states', TASK_STATES],
    ['task_type', 'task_types', TASK_TYPES],
    ['priority', 'priorities', PRIORITIES],
  ] as const)('with a %s outside its set, with the same error as the filter', async (field, list, values) => {
    for (const wrong of ['nonsense', '', null, 1, [values[0]], values[0].toUpperCase(), 'constructor']) {
      const answer = await post({ title: 'x', [field]: wrong })
      expect(answer.status).toBe(422)
      expect(answer.json).toEqual({ error: `invalid_${field}`, message: expect.any(String), [`valid_${list}`]: [...values] })
      const filter = await inside(`/tasks?${field}=nonsense`)
      expect(filter.json).toEqual(answer.json)
    }
  })

  test('with an unknown field, next to the task or in it', async () => {
    for (const [body, name] of [
      [{ task: { title: 'x' }, project: 1 }, 'project'],
      [{ title: 'x' }, 'title'],
      [{ task: { title: 'x', status: 'to_do' } }, 'status'],
      [{ task: { title: 'x', id: 7 } }, 'id'],
      [{ task: { title: 'x', account_id: 7 } }, 'account_id'],
      [{ task: { title: 'x', created_at: '2026-01-01' } }, 'created_at'],
      [{ task: { title: 'x', description_append: 'y' } }, 'description_append'],
      [{ task: { title: 'x', toString: 'y' } }, 'toString'],
    ] as const)
      expect(await inside('/tasks', { method: 'POST', body }), name).toMatchObject({
        status: 422,
        json: { error: 'unknown_parameter', message: expect.stringContaining(name) },
      })
    const proto = await inside('/tasks', { method: 'POST', raw: '{"task":{"title":"x","__proto__":{"state":"blocked"}}}' })
    expect(proto.json.error).toBe('unknown_parameter')
  })

  test('with an unknown field before its values are checked', async () => {
    expect((await post({ title: '', surprise: 1 })).json.error).toBe('unknown_parameter')
  })

  test('with an invalid assignee', async () => {
    const rival = Number(id('users', 'rival'))
    const lead = Number(id('users', 'lead'))
    for (const assignee of [
      { assignee_handle: 'Coder' },
      { assignee_handle: '' },
      { assignee_handle: 'a_b' },
      { assignee_handle: 'a'.repeat(51) },
      { assignee_handle: 'coder\n' },
      { assignee_handle: 7 },
      { user_id: rival },
      { user_id: 2_000_000_000 },
      { user_id: 2 ** 53 + 2 },
      { user_id: 1e300 },
      { user_id: -1 },
      { user_id: 0 },
      { user_id: 1.5 },
      { user_id: String(lead) },
      { user_id: lead, assignee_handle: 'coder' },
    ]) {
      const before = await count()
      const answer = await post({ title: 'x', ...assignee })
      expect(answer.status, JSON.stringify(assignee)).toBe(422)
      expect(answer.json).toEqual({
        error: 'invalid_assignee',
        message: expect.any(String),
        expected_format: expect.any(String),
      })
      expect(await count()).toBe(before)
    }
  })
})

test('an agent or a person can be assigned, and null is nobody', async () => {
  expect(await create({ assignee_handle: 'a-0'.padEnd(50, 'z') })).toMatchObject({ user_id: null })
  expect(await create({ user_id: Number(id('users', 'artist')), assignee_handle: null })).toMatchObject({ assignee_handle: null })
  expect(await create({ user_id: null, assignee_handle: null })).toMatchObject({ assignee_handle: null, user_id: null })
})

test('links name changes, builds and deployments by number', async () => {
  const { tasks, changes, build_runs, deployments } = await studio.load({
    changes: [{ key: 'c', project: id('projects', 'star'), identifier: '4711', source_type: 'Changelist' }],
    build_runs: [{ key: 'b', project: id('projects', 'star'), status: 'failed', commit_hash: 'abc', ci_job_name: 'night' }],
    deployments: [{ key: 'd', project: id('projects', 'star'), platform: 'steam', status: 'live', branch: 'beta' }],
    tasks: [
      {
        key: 't',
        project: id('projects', 'star'),
        title: 'Linked',
        links: { changes: ['c'], build_runs: ['b'], deployments: ['d'] },
      },
    ],
  })
  const { links, metadata } = await show(Number(tasks!.t!.id))
  expect(links).toEqual({
    changes: [{ id: changes!.c!.id, identifier: '4711', source_type: 'Changelist', display_identifier: 'CL 4711' }],
    build_runs: [{ id: build_runs!.b!.id, status: 'failed', commit_hash: 'abc', ci_job_name: 'night' }],
    deployments: [{ id: expect.any(Number), status: 'live', platform: 'steam', branch: 'beta' }],
  })
  expect(metadata).toEqual({})
  const deployment = await inside(`/deployments/${links.deployments[0].id}`)
  expect(deployment.json.id).toBe(deployments!.d!.id)
})
