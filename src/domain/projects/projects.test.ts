import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    users: [
      ...workshop.users,
      { key: 'both', email: 'both@example.com', name: 'Both', accounts: { owl: 'member', fox: 'member' } },
      { key: 'nobody', email: 'nobody@example.com', name: 'Nobody' },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal', created_at: '2026-01-02', members: { lead: 'owner' } },
      { key: 'moon', account: 'owl', name: 'Moonrise', status: 'paused', created_at: '2026-01-02' },
      { key: 'den', account: 'fox', name: 'Den', engine: 'unity', status: 'archived', created_at: '2026-01-01' },
    ],
    tokens: [
      ...workshop.tokens,
      { key: 'both', user: 'both', name: 'both', scopes: ['read:projects', 'read:tasks'] },
      { key: 'nobody', user: 'nobody', name: 'nobody', scopes: ['read:projects'] },
    ],
    tasks: Array.from({ length: 3 }, (_, i) => ({ project: 'star', title: `${i}` })),
    build_runs: Array.from({ length: 2 }, () => ({ project: 'star' })),
    assets: [{ project: 'star', name: 'a', path: 'a', asset_type: 'texture' }],
  })
})
afterAll(() => studio.close())

const { id, tokenOf, inside } = visitor(() => studio)
const list = async (as: string) => (await studio.ask('/api/v1/projects', { token: tokenOf(as) })).json.projects
const names = async (as: string) => (await list(as)).map((project: { name: string }) => project.name)

test("the list has the projects of all of the caller's accounts, newest first, with or without membership", async () => {
  expect(await names('lead')).toEqual(['Moonrise', 'Starfall'])
  expect(await names('artist')).toEqual(['Moonrise', 'Starfall'])
  expect(await names('rival')).toEqual(['Den'])
  expect(await names('both')).toEqual(['Moonrise', 'Starfall', 'Den'])
  expect(await names('nobody')).toEqual([])
})

test('an entry has a text id, a name, an engine and a time', async () => {
  expect((await list('lead'))[1]).toEqual({
    id: id('projects', 'star'),
    name: 'Starfall',
    engine: 'unreal',
    created_at: '2026-01-02T00:00:00.000Z',
  })
})

test('a project adds its status and its counts', async () => {
  expect((await inside('')).json).toEqual({
    id: id('projects', 'star'),
    name: 'Starfall',
    engine: 'unreal',
    created_at: '2026-01-02T00:00:00.000Z',
    status: 'active',
    tasks_count: 3,
    build_runs_count: 2,
    assets_count: 1,
  })
  expect((await inside('', { project: 'moon' })).json).toMatchObject({ engine: '', status: 'paused', tasks_count: 0 })
  expect((await inside('', { project: 'den', as: 'rival' })).json).toMatchObject({ status: 'archived' })
})

test('members can still read and write paused and archived projects', async () => {
  for (const [project, as] of [
    ['moon', 'lead'],
    ['den', 'rival'],
  ]) {
    expect((await inside('/tasks', { project, as })).status).toBe(200)
    expect((await inside('/tasks', { project, as, method: 'POST', body: { task: { title: 'x' } } })).status).toBe(201)
  }
})

test('a token has access to every account of its user and no other', async () => {
  for (const project of ['star', 'moon', 'den']) expect((await inside('/tasks', { project, as: 'both' })).status).toBe(200)
  expect((await inside('/tasks', { project: 'den', as: 'artist' })).status).toBe(404)
  expect((await inside('', { as: 'nobody' })).status).toBe(404)
})
