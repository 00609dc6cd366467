import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listening, listen, titlesOf } from '../../../test/support/callers/listening.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import * as tokens from '../../domain/access/tokens.ts'

let studio: Studio
let node2: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Red Fox', plan: 'team', payment_method: true },
      { key: 'small', name: 'Small', plan: 'free' },
    ],
    users: [
      { key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', small: 'owner' } },
      { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall' },
      { key: 'moon', account: 'owl', name: 'Moonrise' },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: [
      { key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES },
      { key: 'bare', user: 'kim', name: 'bare', scopes: [] },
      { key: 'held', user: 'kim', name: 'held', scopes: SCOPES },
      ...['doomed', 'leaving'].map((key) => ({ key, user: 'kim', name: key, scopes: SCOPES })),
    ],
    tasks: [{ key: 'loaded', project: 'star', title: 'Loaded, not happening' }],
  })
  node2 = await openStudio({}, { beside: studio })
})
afterAll(async () => {
  await node2.close()
  await studio.close()
})

const id = (kind: string, key: string) => studio.world[kind as 'projects']![key]!.id as number
const tokenOf = (key: string) => studio.world.tokens![key]!.token as string

const follow = (
  query = '',
  { token = 'kim', lastId, at = studio }: { token?: string; lastId?: number; at?: Studio } = {},
): Promise<Listening> => listen({ site: at.site, token: tokenOf(token), query, lastId })

const task = (project: string, title: string) =>
  studio.db.execute(sql`insert into tasks (account_id, project_id, title)
    values (${id('accounts', project === 'fox' ? 'fox' : 'owl')}, ${id('projects', project)}, ${title})`)
const titles = ({ events }: Listening) => titlesOf(events)

describe('a client', () => {
  test('receives the events of the account, in order, and none of others', async () => {
    const [all, moon, builds] = [
      await follow(),
      await follow(`project_id=${id('projects', 'moon')}`),
      await follow('event_type=build_run.*'),
    ]
    for (const [project, title] of [
      ['star', 'one'],
      ['fox', 'foreign'],
      ['moon', 'two'],
      ['star', 'three'],
    ] as const)
      await task(project, title)
    // Everybody receives this; a client that has received it gets nothing earlier.
    await studio.db.execute(sql`insert into build_runs (account_id, project_id, status, ci_job_name, build_type, target_type)
      values (${id('accounts', 'owl')}, ${id('projects', 'moon')}, 'failed', 'night', 'custom', 'development')`)
    await Promise.all([all.until(4), moon.until(2), builds.until(1)])
    expect(titles(all)).toEqual(['one', 'two', 'three', undefined])
    expect(titles(moon)).toEqual(['two', undefined])
    expect(builds.events).toMatchObject([{ event_type: 'build_run.failed' }])
    expect(all.events[0]).toMatchObject({
      event_type: 'task.state_changed',
      project_id: id('projects', 'star'),
      cursor_key: expect.any(String),
    })
    for (const one of [all, moon, builds]) one.stop()
  })

  test('with a token limited to a project receives only its events', async () => {
    await studio.db.execute(sql`update api_tokens set project_ids = ${[id('projects', 'moon')]} where name = 'held'`)
    const [all, held] = [await follow(), await follow('', { token: 'held' })]
    for (const project of ['star', 'moon', 'star', 'moon']) await task(project, `held back in ${project}`)
    await Promise.all([all.until(4), held.until(2)])
    expect(titles(held)).toEqual(['held back in moon', 'held back in moon'])
    for (const one of [all, held]) one.stop()
  })

  test('on another node receives the same', async () => {
    const other = await follow('', { at: node2 })
    await task('star', 'across')
    await other.until(1)
    expect(titles(other)).toEqual(['across'])
    other.stop()
  })

  test('that reconnects with the last id misses nothing and gets nothing twice', async () => {
    const first = await follow()
    await task('star', 'before')
    await first.until(1)
    first.stop()
    for (let i = 0; i < 5; i++) await task('star', `away ${i}`)
    const second = await follow('', { lastId: first.events.at(-1)!.position })
    await task('star', 'after')
    await second.until(6)
    await task('star', 'and later')
    await second.until(7)
    expect(titles(second)).toEqual(['away 0', 'away 1', 'away 2', 'away 3', 'away 4', 'after', 'and later'])
    second.stop()
  })

  test('receives a transaction that commits late, although its row was written first', async () => {
    const before = await follow()
    await task('star', 'marker')
    await before.until(1)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = studio.db.transaction(async (db) => {
      await db.execute(
        sql`insert into tasks (account_id, project_id, title) values (${id('accounts', 'owl')}, ${id('projects', 'star')}, 'slow')`,
      )
      await held
    })
    await task('star', 'fast')
    await before.until(2)
    expect(titles(before)).toEqual(['marker', 'fast'])
    const resumed = await follow('', { lastId: before.events.at(-1)!.position })
    release()
    await slow
    await Promise.all([before.until(3), resumed.until(1)])
    expect(titles(before)).toEqual(['marker', 'fast', 'slow'])
    expect(titles(resumed)).toEqual(['slow'])
    before.stop()
    resumed.stop()
  })

  test('whose token is revoked, or who leaves the account, receives no more', async () => {
    const doomed = await follow('', { token: 'doomed' })
    await task('star', 'still here')
    await doomed.until(1)
    await tokens.revoke(studio.db, studio.world.tokens!.doomed!.id as number)
    await doomed.ended
    const leaving = await follow('', { token: 'leaving' })
    await studio.db.execute(
      sql`delete from account_members where user_id = ${id('users', 'kim')} and account_id = ${id('accounts', 'owl')}`,
    )
    await leaving.ended
    await studio.db.execute(
      sql`insert into account_members (user_id, account_id, role) values (${id('users', 'kim')}, ${id('accounts', 'owl')}, 'owner')`,
    )
  })
})

test('the stream has the same access rules as the feed', async () => {
  const status = async (query: string, token = 'kim') => {
    const followed = await follow(query, { token })
    followed.stop()
    return followed.status
  }
  expect(await status('', 'bare')).toBe(403)
  expect(await status('surprise=1')).toBe(422)
  expect(await status('limit=5')).toBe(422)
  expect(await status('event_type=nonsense')).toBe(422)
  expect(await status(`account_id=${id('accounts', 'fox')}`)).toBe(404)
  expect(await status(`account_id=${id('accounts', 'small')}`)).toBe(403)
  expect(await status(`project_id=${id('projects', 'fox')}`)).toBe(404)
  expect((await studio.ask('/api/v1/workspace/events/stream')).status).toBe(401)
})
