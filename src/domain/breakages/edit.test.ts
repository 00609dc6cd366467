import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, DISK_FULL, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'
import { recomputeOverdue } from './recompute.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const room = () => breakageRoom(studio)
const user = (key: string) => studio.world.users![key]!.id as number

describe('a person', () => {
  const broken = async () => {
    const made = await room()
    await made.report({ number: 10, log: brokenLog('part5') })
    await made.work()
    const { id } = await made.only()
    const say = (body: object) => made.api(`/breakages/${id}`, body)
    return { ...made, id, say }
  }

  test('claims it, assigns it to somebody else and unclaims it', async () => {
    const { say } = await broken()
    expect((await say({ state: 'claimed' })).json).toMatchObject({ state: 'claimed', owner_user_id: user('kim') })
    expect((await say({ owner_user_id: user('ann'), note: 'Ann knows it' })).json).toMatchObject({
      state: 'claimed',
      owner_user_id: user('ann'),
    })
    const { json } = await say({ owner_user_id: null })
    expect(json).toMatchObject({ state: 'open', owner_user_id: null, claimed_at: null })
    expect(json.history.map(({ kind, user_id }: { kind: string; user_id: number | null }) => [kind, user_id])).toEqual([
      ['opened', null],
      ['claimed', user('kim')],
      ['claimed', user('kim')],
      ['note', user('kim')],
      ['released', user('kim')],
    ])
  })

  test('assigns it while it is muted or fixed without changing that', async () => {
    const { say } = await broken()
    const muted_until = new Date(Date.now() + 3_600_000).toISOString()
    await say({ state: 'muted', muted_until })
    const owner_user_id = user('ann')
    expect((await say({ owner_user_id })).json).toMatchObject({ state: 'muted', muted_until, owner_user_id })
    await say({ state: 'fixed' })
    const { json } = await say({ owner_user_id: null })
    expect(json).toMatchObject({ state: 'fixed', owner_user_id: null })
    expect(json.history.map(({ kind }: { kind: string }) => kind)).toEqual(['opened', 'muted', 'claimed', 'resolved', 'released'])
  })

  test('mutes it until a time, or until it stops failing', async () => {
    const { say, only, report, work, id } = await broken()
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    expect((await say({ state: 'muted', muted_until: soon })).json).toMatchObject({ state: 'muted', muted_until: soon })
    await report({ number: 11, log: brokenLog('part5') })
    await work()
    expect((await only()).state).toBe('muted')
    await studio.db.execute(sql`update breakages set muted_until = now() - interval '1 second' where id = ${id}`)
    await recomputeOverdue(studio.db)
    expect(await only()).toMatchObject({ state: 'open', muted_until: null })
    await say({ state: 'claimed' })
    await say({ state: 'muted', muted_until: soon })
    await studio.db.execute(sql`update breakages set muted_until = now() - interval '1 second' where id = ${id}`)
    await recomputeOverdue(studio.db)
    expect(await only()).toMatchObject({ state: 'claimed', owner_user_id: user('kim') })
    await say({ state: 'open' })
    expect((await say({ state: 'muted', muted_until: null })).json).toMatchObject({ state: 'muted', muted_until: null })
    await recomputeOverdue(studio.db)
    expect((await only()).state).toBe('muted')
    await report({ number: 14, status: 'success' })
    await work()
    expect((await only()).state).toBe('fixed')
  })

  test('resolves it: a failure at a later change reopens it, one at an earlier change joins it', async () => {
    const { say, only, report, work } = await broken()
    expect((await say({ state: 'fixed' })).json).toMatchObject({ state: 'fixed', fixed_at: expect.any(String) })
    await studio.load({
      changes: [
        {
          key: 'late',
          project: (await only()).project_id,
          identifier: 'c31',
          source_type: 'GitCommit',
          author: 'Kim',
          branches: ['main'],
        },
      ],
    })
    await report({ number: 20, log: brokenLog('part5') })
    await work()
    expect(await only()).toMatchObject({ state: 'fixed', build_count: 2 })
    await report({ number: 31, log: brokenLog('part5') })
    await work()
    expect(await only()).toMatchObject({ state: 'open', build_count: 3, reopened_count: 1 })
  })

  test('creates one task from it, however often, linked to builds and suspects, without anybody’s address', async () => {
    const { api, id, change } = await broken()
    await studio.db.execute(sql`update breakages set cause = 'It broke, says ann@example.com' where id = ${id}`)
    const first = await api(`/breakages/${id}/task`, undefined, 'POST')
    expect(first.status).toBe(201)
    expect(first.json).toMatchObject({
      task_type: 'bug',
      links: { build_runs: [{ status: 'failed' }], changes: expect.any(Array) },
    })
    expect(first.json.links.changes.map((one: { id: number }) => one.id)).toContain(change(5))
    expect(JSON.stringify(first.json)).not.toContain('@example')
    const again = await api(`/breakages/${id}/task`, undefined, 'POST')
    expect([again.status, again.json.id]).toEqual([200, first.json.id])
    expect((await api(`/breakages/${id}`)).json.task_id).toBe(first.json.id)
  })

  test.each([
    [{}, 'body'],
    [{ state: 'broken' }, 'state'],
    [{ muted_until: '2030-01-01' }, 'muted_until'],
    [{ state: 'muted', muted_until: '2020-01-01T00:00:00Z' }, 'muted_until'],
    [{ owner_user_id: 2_000_000_000 }, 'owner_user_id'],
    [{ note: ' ' }, 'note'],
    [{ colour: 'red' }, 'colour'],
  ])('is refused %j', async (body, named) => {
    const { say } = await broken()
    const { status, json } = await say(body)
    expect([status, json.message]).toEqual([422, expect.stringContaining(named)])
  })

  test('cannot assign it to somebody outside the project, nor claim a fixed one', async () => {
    const { say } = await broken()
    expect((await say({ owner_user_id: user('eve') })).status).toBe(422)
    await say({ state: 'fixed' })
    expect((await say({ state: 'claimed' })).status).toBe(422)
    expect((await say({ state: 'open' })).json).toMatchObject({ state: 'open', reopened_count: 1 })
  })
})

test('lists filter by state, branch, category, owner and time, and continue with a cursor', async () => {
  const { report, work, api, breakages } = await room()
  await report({ number: 5, log: brokenLog('part5') })
  await report({ number: 6, branch: 'dev', log: brokenLog('part6') })
  await report({ number: 7, log: DISK_FULL })
  await work()
  const [machines, dev, main] = await breakages()
  await api(`/breakages/${main!.id}`, { state: 'claimed' })
  const ids = async (query: string) => (await api(`/breakages${query}`)).json.breakages.map(({ id }: { id: string }) => id)
  expect(await ids('?state=claimed')).toEqual([main!.id])
  expect(await ids('?state=open,claimed')).toEqual([machines!.id, dev!.id, main!.id])
  expect(await ids('?branch=refs/heads/dev')).toEqual([dev!.id])
  expect(await ids('?category=out_of_disk')).toEqual([machines!.id])
  expect(await ids(`?owner=${user('kim')}`)).toEqual([main!.id])
  expect(await ids(`?since=${dev!.last_seen_at}`)).toEqual([machines!.id, dev!.id])
  const first = (await api('/breakages?limit=2')).json
  expect(await ids(`?limit=2&cursor=${first.pagination.next_cursor}`)).toEqual([main!.id])
})
