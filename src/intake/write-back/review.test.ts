import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openSwarm } from '../../../test/support/servers/swarm-server.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
let swarm: Awaited<ReturnType<typeof openSwarm>>
beforeAll(async () => {
  studio = await openBranchStudio({ service: { allowedHosts: (host) => host === '127.0.0.1' } })
})
afterAll(() => studio.close())
beforeEach(async () => {
  swarm = await openSwarm()
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  await swarm.close()
})

/** A Perforce server with a review 77 of the shelf 1250, whose preflights a Jenkins reports. */
async function room({ config = {}, on = true }: { config?: object; on?: boolean } = {}) {
  const made = await branchRoom(studio)
  const { integrations } = (await made.api('/integrations')).json
  const { id } = integrations.find(({ provider }: { provider: string }) => provider === 'perforce')
  const settings = { server: '127.0.0.1:1666', user: 'gold', password: 'ticket', swarm: swarm.url, ...config }
  expect((await made.api(`/integrations/${id}`, { method: 'PATCH', body: { config: settings } })).status).toBe(200)
  const turn = () => made.api(`/integrations/${id}/write_back`, { method: 'POST', body: { write_back: true } })
  if (on) expect(await turn()).toMatchObject({ status: 200, json: { write_back: true, write_back_problem: null } })
  const work = () => workOffAll(studio, made.owner.account_id)
  const shelf = async (number: number, more: object = {}) => {
    await made.report({ number, shelf: '1250', ...more })
    await work()
  }
  const page = async () => (await made.api(`/integrations/${id}`)).json
  return { ...made, id, turn, work, shelf, page }
}

test('a review gets one comment, edited in place, and a vote for the version that was built', async () => {
  const { shelf, report, work } = await room()
  await shelf(1)
  expect(swarm.votes).toEqual([{ vote: 'up', version: 1 }])
  expect(swarm.comments).toMatchObject([{ user: 'gold', body: expect.stringContaining('`Cook` passed') }])
  await shelf(2, { job: 'Tests', status: 'building' })
  await shelf(5)
  // Not before all jobs have ended.
  expect(swarm.votes).toHaveLength(1)
  await shelf(2, { job: 'Tests', status: 'success' })
  expect(swarm.votes).toHaveLength(1)
  expect(swarm.comments).toHaveLength(1)
  expect(swarm.comments[0]!.body).toContain('`Tests` passed')
  // Builds of main and of other shelves are none of its business.
  const count = swarm.writes.length
  await report({ number: 3, changelist: '1300' })
  await report({ number: 4, shelf: '1251' })
  await work()
  expect(swarm.writes).toHaveLength(count)
})

test('a failure of main takes no vote down, and one without a verdict takes it back', async () => {
  const { shelf, submit, report, work } = await room()
  await submit(1200)
  await report({ number: 1, changelist: '1200', broken: 'part1200' })
  await work()
  await shelf(2)
  expect(swarm.votes).toEqual([{ vote: 'up', version: 1 }])
  await shelf(3, { broken: 'part1200' })
  expect(swarm.votes.map(({ vote }) => vote)).toEqual(['up', 'clear'])
  expect(swarm.comments[0]!.body).toContain('not by this change')
})

test('what was built before the newest version of the shelf is not said about it', async () => {
  const { shelf } = await room()
  swarm.reviews[0]!.versions.push({ change: 1250, time: Math.floor(Date.now() / 1000) + 60 })
  await shelf(1)
  expect(swarm.writes).toEqual([])
  // Two reviews of one shelf: none is chosen.
  swarm.reviews[0]!.versions.pop()
  swarm.reviews.push({ ...swarm.reviews[0]!, id: 78 })
  await shelf(2)
  expect(swarm.writes).toEqual([])
})

test('a lost reply leaves one comment, and a deleted comment is not written again', async () => {
  const { shelf, work } = await room()
  swarm.losesNextReply = true
  await expect(shelf(1)).rejects.toThrow()
  await studio.db.execute(sql`delete from jobs`)
  await shelf(2)
  expect(swarm.comments).toHaveLength(1)
  swarm.comments.length = 0
  await shelf(3, { job: 'Tests' })
  await work()
  await shelf(4, { job: 'Other' })
  expect(swarm.comments).toEqual([])
})

/** All of it, so that the server is not asked. */
const SHELF = { change: 1250, status: 'shelved', user: 'kim', description: 'Moon', files: ['//game/main/src/moon.c'] }

test('a test run gets the result of its version at its own address, whose secret is stored encrypted', async () => {
  const { shelf, perforce, submit, report, work, id } = await room()
  const say = (version: number, update: string) => perforce({ ...SHELF, version, update })
  await say(1, swarm.run)
  const stored = await studio.db.rows<{ all: string }>(sql`
    select row_to_json(r)::text as all from result_addresses r where integration_id = ${id}
    union all select row_to_json(d)::text || convert_from(coalesce(d.body, ''), 'UTF8') from deliveries d where integration_id = ${id}`)
  expect(stored.length).toBeGreaterThanOrEqual(2)
  for (const { all } of stored) expect(all).not.toContain('4f5e6a7b')
  await submit(1200)
  await report({ number: 90, job: 'Tests', changelist: '1200', broken: 'part1200' })
  await work()
  await shelf(1)
  await shelf(2, { job: 'Tests', status: 'building' })
  await shelf(3)
  expect(swarm.runs.map(({ status }) => status)).toEqual(['pass', 'running'])
  expect(swarm.runs[0]).toMatchObject({
    messages: [expect.stringContaining('Cook passed')],
    url: expect.stringContaining('/builds/'),
  })
  // A failure that main has already is told as such, and takes nothing down.
  await shelf(2, { job: 'Tests', broken: 'part1200' })
  expect(swarm.runs.at(-1)).toMatchObject({
    status: 'pass',
    messages: expect.arrayContaining([expect.stringContaining('not by this change')]),
  })
  for (let job = 1; job <= 12; job++) await report({ number: 1, job: `Job ${job}`, shelf: '1250' })
  await work()
  // P4 Code Review refuses more.
  expect(swarm.runs.at(-1)!.messages).toHaveLength(10)
})

test('the address of a test run is not kept while no results are written', async () => {
  const { perforce, id } = await room({ on: false })
  await perforce({ ...SHELF, version: 1, update: swarm.run })
  expect(await studio.db.rows(sql`select from result_addresses where integration_id = ${id}`)).toEqual([])
})

test('a test run of another version, of another host or that is over gets nothing, and the rest goes on', async () => {
  const { shelf, perforce, page } = await room()
  const say = (version: number, update: string) => perforce({ ...SHELF, version, update })
  await say(2, swarm.run)
  await shelf(1)
  await say(1, 'http://127.0.0.1:1/api/v10/testruns/706/4f5e6a7b-secret')
  await shelf(2)
  expect(swarm.runs).toEqual([])
  swarm.isRunOver = true
  await say(1, swarm.run)
  await shelf(3, { job: 'Tests' })
  expect(swarm.runs).toEqual([])
  expect(swarm.comments).toHaveLength(1)
  expect((await page()).write_back_problem).toBeNull()
})

test('a login that P4 Code Review refuses is reported at setup, and a later refusal stops the write-back', async () => {
  const refused = async (config: object, words: RegExp) => {
    const { turn } = await room({ config, on: false })
    expect(await turn()).toMatchObject({ status: 422, json: { message: expect.stringMatching(words) } })
  }
  await refused({ password: 'a password' }, /ticket/)
  await refused({ swarm: '' }, /URL of P4 Code Review/)
  swarm.isHtml = true
  await refused({}, /no JSON/)
  swarm.isHtml = false
  expect(swarm.writes).toEqual([])
  const { shelf, page } = await room()
  swarm.isPermitted = false
  await shelf(1)
  expect(await page()).toMatchObject({ write_back_problem: expect.stringContaining('does not accept the login') })
})

test('the ticket is entered again when the URL of P4 Code Review changes', async () => {
  const { api, id, page } = await room()
  const { config } = await page()
  const moved = { ...config, swarm: 'https://elsewhere.example' }
  expect(await api(`/integrations/${id}`, { method: 'PATCH', body: { config: moved } })).toMatchObject({
    status: 422,
    json: { message: expect.stringContaining('swarm') },
  })
})
