import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../../test/support/studio.ts'
import { type BisectedRoom, bisectedRoom, FIRST, type Made } from '../../../../test/support/studios/bisected-jenkins.ts'
import { openBranchStudio } from '../../../../test/support/studios/branch-room.ts'
import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { sql } from '../../../db/database.ts'
import { advanceAll } from './advance-bisection.ts'

let studio: Studio
const rooms: BisectedRoom[] = []
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  for (const { jenkins } of rooms.splice(0)) jenkins.close()
})
afterAll(() => studio.close())

async function open(made: Made) {
  const room = await bisectedRoom(studio, made)
  rooms.push(room)
  await room.permit(50)
  return room
}

const start = ({ api, breakage }: BisectedRoom, token?: string) =>
  api(`/breakages/${breakage}/bisection`, { method: 'POST', ...(token && { token }) })
const show = async ({ api, breakage }: BisectedRoom): Promise<BreakageDetail> => (await api(`/breakages/${breakage}`)).json
const brokenSince = (culprit: number) => (changelist: number) => changelist >= culprit

test('Jenkins builds changes among 64 until one is named, although failures come and go', async () => {
  const culprit = FIRST + 41
  // The second build at a sound change fails without a reason.
  let sound = 0
  const room = await open({ changes: 64, fails: (changelist) => changelist >= culprit || ++sound === 2 })
  expect(await show(room)).toMatchObject({ can_bisect: true, bisection: null, last_good_change: { identifier: String(FIRST) } })
  const health = await room.health()
  const events = await room.events()

  expect(await start(room)).toMatchObject({
    status: 201,
    json: { bisection: { status: 'running', change_count: 64, remaining_count: 64 } },
  })
  await room.workOffAll()
  const { bisection, suspects, history, state } = await show(room)
  expect(bisection).toMatchObject({ status: 'found', found_change: { identifier: String(culprit) }, remaining_count: 1 })
  expect(bisection!.probability).toBeGreaterThanOrEqual(0.9)
  expect(bisection!.builds.map(({ change }) => Number(change!.identifier))).toEqual(room.asked)
  expect(
    bisection!.builds.filter(({ verdict, change }) => verdict === 'bad' && Number(change!.identifier) < culprit),
  ).toHaveLength(1)
  expect(room.asked.length).toBeLessThanOrEqual(12)
  expect(bisection!.duration_seconds).toBe(60 * room.asked.length)
  expect(suspects).toMatchObject([
    { change_id: bisection!.found_change!.id, reasons: [`found by bisection, narrowed by ${room.asked.length} builds`] },
  ])
  expect(history.map(({ kind }) => kind).slice(-2)).toEqual(['bisection_started', 'bisection_ended'])

  // The builds narrowed the range and did nothing else.
  expect(state).toBe('open')
  expect(await room.health()).toEqual(health)
  const kinds = await studio.db.rows(sql`
    select distinct b.kind from bisection_builds t join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id`)
  expect(kinds).toEqual([{ kind: 'bisect' }])
  const later = (await room.events()).slice(events.length)
  expect(later.filter((event) => /^breakage\.(?!updated)/.test(event))).toEqual([])
})

test('a running search names no author, and a pass at the found change clears it', async () => {
  const room = await open({ changes: 4, fails: brokenSince(FIRST + 2) })
  await room.permit(1)
  await start(room)
  await room.workOffAll()
  const waiting = await show(room)
  expect(waiting).toMatchObject({ bisection: { status: 'running', waits_until: expect.any(String) }, can_bisect: false })
  expect(waiting.suspects.every(({ reasons }) => reasons.every((reason) => !reason.startsWith('found by')))).toBe(true)
  expect(room.asked).toHaveLength(1)
  // More builds are permitted: the search goes on by itself.
  await room.permit(20)
  await advanceAll(studio.db)
  await room.workOffAll()
  expect(await show(room)).toMatchObject({
    bisection: { status: 'found', found_change: { identifier: String(FIRST + 2) }, waits_until: null },
    suspects: [{ reasons: [expect.stringMatching(/^found by bisection/)] }],
  })
  await room.report({ number: 900, changelist: FIRST + 3, kind: 'bisect' })
  await room.workOffAll()
  expect((await show(room)).suspects.flatMap(({ reasons }) => reasons)).not.toContainEqual(expect.stringMatching(/^found by/))
})

test('a failure that is gone names no change', async () => {
  const room = await open({ changes: 3, fails: () => false })
  await start(room)
  await room.workOffAll()
  const { bisection } = await show(room)
  expect(bisection).toMatchObject({ status: 'no_change', found_change: null, reason: expect.stringContaining('flaky') })
})

test('builds that fail for another cause say nothing about their change', async () => {
  const room = await open({ changes: 2, fails: () => true, log: 'other/thing.c:1:1: error: unknown type name\n' })
  await start(room)
  await room.workOffAll()
  expect(await show(room)).toMatchObject({ bisection: { status: 'stuck', builds: [{ verdict: 'skip' }, { verdict: 'skip' }] } })
})

test('a running search is returned unchanged, can be canceled, and starts no more builds then', async () => {
  const room = await open({ changes: 8, fails: brokenSince(FIRST + 5) })
  const first = await start(room)
  const again = await start(room)
  expect([again.status, again.json.bisection.id]).toEqual([200, first.json.bisection.id])
  const canceled = await room.api(`/breakages/${room.breakage}/bisection/cancel`, { method: 'POST' })
  expect(canceled).toMatchObject({ status: 200, json: { bisection: { status: 'cancelled' }, can_bisect: true } })
  await room.workOffAll()
  expect(room.asked).toEqual([])
  expect((await start(room)).status).toBe(201)
  const actions = await studio.db.rows<{ action: string }>(sql`
    select action from audit_log where project_id = ${room.project} order by id`)
  expect(actions.map(({ action }) => action)).toEqual(['startBisection', 'cancelBisection', 'startBisection'])
})

test('a job without a parameter for the change ends it with the reason', async () => {
  const room = await open({ changes: 3, fails: () => true, parameters: ['PLATFORM'] })
  await start(room)
  await room.workOffAll()
  expect(await show(room)).toMatchObject({
    bisection: { status: 'failed', reason: expect.stringContaining('has no parameter for the change') },
  })
  expect(room.asked).toEqual([])
})

test.each([
  [401, 'does not accept the login'],
  [403, 'does not permit'],
  [404, 'does not have it'],
])('an answer %i of Jenkins ends it at once', async (status, reason) => {
  const room = await open({ changes: 3, fails: () => true })
  room.jenkins.answers['/job/Cook/api/json'] = (_, reply) => reply.writeHead(status).end()
  await start(room)
  await room.workOffAll()
  expect(await show(room)).toMatchObject({
    can_bisect: true,
    bisection: { status: 'failed', reason: expect.stringContaining(reason) },
  })
  expect(room.asked).toEqual([])
})

test('the project has to permit builds, the CI has to have a server, and the token needs the scope write:ci', async () => {
  const room = await open({ changes: 2, fails: () => true })
  expect(await start(room, studio.world.tokens!.reader!.token as string)).toMatchObject({
    status: 403,
    json: { error: 'insufficient_scope', required_scope: 'write:ci' },
  })
  await room.permit(0)
  expect(await start(room)).toMatchObject({
    status: 422,
    json: { error: 'cannot_bisect', message: expect.stringContaining('off') },
  })
  await room.permit(5)
  await studio.db.execute(sql`update integrations set config = '{}' where project_id = ${room.project} and provider = 'jenkins'`)
  expect(await start(room)).toMatchObject({ status: 422, json: { message: expect.stringContaining('has no server') } })
  expect((await show(room)).can_bisect).toBe(false)
  expect((await room.api('/breakages/999999/bisection', { method: 'POST' })).status).toBe(404)
})
