import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'

let studio: Studio
let room: BranchRoom
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())
beforeEach(async () => {
  room = await branchRoom(studio)
})

const settle = async () => {
  for (let round = 0; round < 3; round++) await room.work()
}
const build = (number: number, changelist: number, broken?: string, more: object = {}) =>
  room.report({ number, changelist: String(changelist), ...(broken !== undefined && { broken }), ...more })
const only = async () => {
  const all = (await room.breakages()).filter(({ state }) => state !== 'withdrawn')
  expect(all).toHaveLength(1)
  return all[0]!
}

test('a pass and a failure at two changelists that are not known yet are not flaky, and suspect nobody', async () => {
  await build(1, 100)
  await build(2, 105, 'Roll')
  await settle()
  expect(await only()).toMatchObject({ state: 'open', flaky: false, suspects: [] })
  await room.submit(105, { file: 'src/Roll.c' })
  await settle()
  expect(await only()).toMatchObject({
    flaky: false,
    suspects: [{ score: expect.any(Number) }],
    first_bad_change: { identifier: '105' },
  })
})

test('a pass at a later changelist fixes a failure although neither changelist is known', async () => {
  await build(1, 105, 'Roll')
  await build(2, 107)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed', flaky: false })
})

test('a pass and a failure at one unknown changelist are flaky', async () => {
  await build(1, 105, 'Roll')
  await build(2, 105)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed', flaky: true })
})

test('a breakage follows its builds to the stream that they turn out to be of', async () => {
  const failed = await build(1, 105, 'Roll', { branch: 'main' })
  await settle()
  expect(await only()).toMatchObject({ branch: 'main' })
  await room.submit(104, { stream: '//game/main', file: 'src/Roll.c' })
  await settle()
  const moved = await only()
  expect(moved).toMatchObject({ branch: '//game/main', state: 'open', builds: [{ id: String(failed) }] })
  await build(2, 106, undefined, { branch: 'main' })
  await settle()
  expect(await only()).toMatchObject({ id: moved.id, state: 'fixed' })
})

test('a breakage joins the one that the stream already has', async () => {
  await build(1, 105, 'Roll', { branch: 'main' })
  await build(2, 105, 'Roll', { branch: '//game/main', job: 'Other' })
  await settle()
  expect((await room.breakages()).map(({ branch }) => branch).sort()).toEqual(['//game/main', 'main'])
  await room.submit(104, { stream: '//game/main', file: 'src/Roll.c' })
  await settle()
  expect(await only()).toMatchObject({ branch: '//game/main', build_count: 2, jobs: ['Cook', 'Other'] })
})

test('a failure without a log is called by its job and branch, and its category is unknown', async () => {
  const failed = await room.report({ number: 1, job: 'Unit-Tests', status: 'failed', changelist: '105' })
  await settle()
  expect(await only()).toMatchObject({ cause: 'Unit-Tests failed on //game/main (no log)', category: 'unknown', suspects: [] })
  expect((await room.build(failed)).investigation).toMatchObject({ category: 'infrastructure', suspects: [] })
})
