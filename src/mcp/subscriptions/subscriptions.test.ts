import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type Assistant,
  connectHttp,
  connectHttpPinned,
  connectStdio,
  connectStdioPinned,
} from '../../../test/support/callers/assistant.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { until } from '../../../test/support/until.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { TokenStreams } from '../../http/limits/token-streams.ts'
import { type Followed, watch } from './watch.ts'

let studio: Studio
const { id, tokenOf } = visitor(() => studio)
const opened: Assistant[] = []

beforeAll(async () => {
  studio = await openStudio(
    {
      ...workshop,
      accounts: [
        ...workshop.accounts,
        { key: 'side', name: 'Side', plan: 'team', payment_method: true },
        { key: 'small', name: 'Small', plan: 'free' },
      ],
      users: workshop.users.map((user) =>
        user.key === 'artist'
          ? { ...user, accounts: { owl: 'member', side: 'owner', small: 'owner' }, default_account: 'owl' }
          : user,
      ),
      projects: [
        ...workshop.projects,
        { key: 'other', account: 'side', name: 'Other' },
        { key: 'tiny', account: 'small', name: 'Tiny' },
      ],
      tokens: [...workshop.tokens, { key: 'deaf', user: 'lead', name: 'deaf', scopes: ['read:tasks', 'read:projects'] }],
      tasks: ['star', 'moon', 'den', 'other'].map((project) => ({ key: project, project, title: `A task of ${project}` })),
      build_runs: [{ key: 'night', project: 'star', status: 'building', ci_job_name: 'night', build_number: '1' }],
    },
    { service: { tokenStreams: new TokenStreams(1_000) } },
  )
})
afterEach(async () => {
  for (const { client } of opened.splice(0)) await client.close()
})
afterAll(() => studio.close())

const taskOf = (project: string) => `goldmaster://projects/${id('projects', project)}/tasks/${id('tasks', project)}`
const edit = (project: string) =>
  studio.db.execute(
    sql`update tasks set title = title || '.', updated_at = clock_timestamp() where id = ${Number(id('tasks', project))}`,
  )

/** An assistant, and the updates it received. */
async function listener(connecting: Promise<Assistant>) {
  const assistant = await connecting
  opened.push(assistant)
  const told: string[] = []
  return { client: assistant.client, told }
}

/** The older SDK has another callback. */
const hear = (client: Assistant['client'], told: string[]) =>
  client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => void told.push(uri))

describe.each([
  ['HTTP', connectHttpPinned],
  ['standard input and output', connectStdioPinned],
] as const)('listening in 2026-07-28 over %s', (_, connect) => {
  test('reports which resource changed, and no other', async () => {
    const { client, told } = await listener(connect(studio.site, tokenOf('lead')))
    hear(client, told)
    expect(client.getServerCapabilities()).toMatchObject({ resources: { subscribe: true } })
    const build = `goldmaster://projects/${id('projects', 'star')}/builds/${id('build_runs', 'night')}`
    const resourceSubscriptions = [taskOf('star'), build]
    const { honoredFilter } = await client.listen({ resourceSubscriptions })
    expect(honoredFilter).toEqual({ resourceSubscriptions })
    await edit('moon')
    await edit('star')
    await until(() => told.length > 0)
    await studio.db.execute(sql`update build_runs set status = 'failed', finished_at = now()`)
    await until(() => told.includes(build))
    await studio.db.execute(sql`update build_runs set status = 'building', finished_at = null`)
    expect(new Set(told)).toEqual(new Set(resourceSubscriptions))
  })

  test('a project changed when something in it did', async () => {
    const { client, told } = await listener(connect(studio.site, tokenOf('lead')))
    hear(client, told)
    await client.listen({ resourceSubscriptions: [`goldmaster://projects/${id('projects', 'moon')}`] })
    await edit('moon')
    await until(() => told.length > 0)
    expect(told[0]).toBe(`goldmaster://projects/${id('projects', 'moon')}`)
  })

  test('a closed subscription gets nothing more, and others still do', async () => {
    const { client, told } = await listener(connect(studio.site, tokenOf('lead')))
    hear(client, told)
    const first = await client.listen({ resourceSubscriptions: [taskOf('star')] })
    await client.listen({ resourceSubscriptions: [taskOf('moon')] })
    await first.close()
    await edit('star')
    await edit('moon')
    await until(() => told.length > 0)
    expect(told).toEqual([taskOf('moon')])
  })

  test.each([
    ['a project of another account', () => [taskOf('den')], /not found/],
    ['a project that cannot exist', () => ['goldmaster://projects/9999999999'], /not found/],
    ['an invalid URI', () => ['file:///etc/passwd'], /not found/],
    ['more than a hundred', () => Array.from({ length: 101 }, (_, n) => `${taskOf('star')}${n}`), /at most 100/],
    [
      'more than ten projects',
      () => Array.from({ length: 11 }, (_, n) => `goldmaster://projects/${n + 1}`),
      /at most 10 projects/,
    ],
  ])('%s is refused', async (_, uris, why) => {
    const { client } = await listener(connect(studio.site, tokenOf('lead')))
    await expect(client.listen({ resourceSubscriptions: uris() })).rejects.toThrow(why)
  })

  test('a token without the events scope is offered none of it', async () => {
    const { client } = await listener(connect(studio.site, tokenOf('deaf')))
    expect(client.getServerCapabilities()!.resources).toEqual({})
    await expect(client.listen({ resourceSubscriptions: [taskOf('star')] })).rejects.toThrow(/read:workspace_events/)
  })
})

describe('subscribing in 2025-11-25', () => {
  test('over standard input and output reports changes until canceled', async () => {
    const { client, told } = await listener(connectStdio(studio.site, tokenOf('lead')))
    client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/resources/updated') told.push((params as { uri: string }).uri)
    }
    await client.subscribeResource({ uri: taskOf('star') })
    await client.subscribeResource({ uri: taskOf('moon') })
    await edit('star')
    await until(() => told.includes(taskOf('star')))
    await client.unsubscribeResource({ uri: taskOf('star') })
    told.length = 0
    await edit('star')
    await edit('moon')
    await until(() => told.length > 0)
    expect(told).toEqual([taskOf('moon')])
    await expect(client.subscribeResource({ uri: taskOf('den') })).rejects.toThrow(/not found/)
  })

  test('over HTTP is not offered: nothing could be sent between two requests', async () => {
    const { client } = await listener(connectHttp(studio.site, tokenOf('lead')))
    expect(client.getServerCapabilities()!.resources).toEqual({})
    await expect(client.subscribeResource({ uri: taskOf('star') })).rejects.toThrow()
  })
})

describe('over HTTP', () => {
  test('a project of another account of the same person can be followed, one whose plan has no feed cannot', async () => {
    const { client, told } = await listener(connectHttpPinned(studio.site, tokenOf('artist')))
    hear(client, told)
    await client.listen({ resourceSubscriptions: [taskOf('other')] })
    await edit('other')
    await until(() => told.length > 0)
    const tiny = `goldmaster://projects/${id('projects', 'tiny')}`
    await expect(client.listen({ resourceSubscriptions: [tiny] })).rejects.toThrow(/settings\/billing/)
  })

  test('a revoked token gets nothing more', async () => {
    const [made] = await studio.db.rows<{ id: number }>(sql`select id from api_tokens where name = 'artist'`)
    const { client } = await listener(connectHttpPinned(studio.site, tokenOf('artist')))
    const subscription = await client.listen({ resourceSubscriptions: [taskOf('star')] })
    await studio.db.execute(sql`update api_tokens set revoked_at = now() where id = ${made!.id}`)
    expect(await subscription.closed).toBe('graceful')
    await studio.db.execute(sql`update api_tokens set revoked_at = null where id = ${made!.id}`)
  })

  test('a removed member gets nothing more', async () => {
    const { client } = await listener(connectHttpPinned(studio.site, tokenOf('artist')))
    const subscription = await client.listen({ resourceSubscriptions: [taskOf('other')] })
    const side = Number(studio.world.accounts!.side!.id)
    await studio.db.execute(sql`delete from account_members where account_id = ${side}`)
    expect(await subscription.closed).toBe('graceful')
  })

  test('listeners are informed when the service stops', async () => {
    const node = await openStudio({}, { beside: studio })
    const { client } = await listener(connectHttpPinned(node.site, tokenOf('lead')))
    const subscription = await client.listen({ resourceSubscriptions: [taskOf('star')] })
    await node.close()
    expect(await subscription.closed).toBe('graceful')
  })

  test('a token can follow fifty projects at once, and those it left no longer count', async () => {
    const { client } = await listener(connectHttpPinned(studio.site, tokenOf('rival')))
    const open = () => client.listen({ resourceSubscriptions: [taskOf('den')] })
    const all = await Promise.all(Array.from({ length: 50 }, open))
    await expect(open()).rejects.toThrow(/At most 50 projects that a token follows are allowed/)
    await Promise.all(all.map((each) => each.close()))
    await until(async () =>
      open()
        .then((each) => each.close())
        .then(
          () => true,
          () => false,
        ),
    )
  })

  test('a request that the protocol refuses is not followed', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { notifications: { resourceSubscriptions: [taskOf('den')] } },
    }
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28' }
    for (let times = 0; times < 60; times++)
      expect((await studio.ask('/mcp', { method: 'POST', token: tokenOf('rival'), body, headers })).status).toBe(400)
    const { client } = await listener(connectHttpPinned(studio.site, tokenOf('rival')))
    await client.listen({ resourceSubscriptions: [taskOf('den')] })
  })
})

test('a client that does not read gets one message per resource, however often it changed', async () => {
  let followed: Followed | undefined
  let congested = true
  const told: string[] = []
  const uris = ['goldmaster://projects/7', 'goldmaster://projects/7/tasks/1', 'goldmaster://projects/7/tasks/2']
  const stop = await watch(uris, {
    offer: { scopes: SCOPES },
    follow: async (_, asked) => {
      followed = asked
      return () => {}
    },
    congested: () => congested,
    updated: (uri) => void told.push(uri),
    ended() {},
  })
  for (let times = 0; times < 1000; times++) followed!.event('/projects/7/tasks/1')
  await new Promise((done) => setTimeout(done, 600))
  expect(told).toEqual([])
  congested = false
  await until(() => told.length > 0)
  expect(told.sort()).toEqual(uris.slice(0, 2))
  // Something may have been missed: any of them may have changed.
  told.length = 0
  followed!.event(undefined)
  await until(() => told.length > 0)
  expect(told.sort()).toEqual(uris)
  stop()
})
