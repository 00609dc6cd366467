import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { sql } from '../../db/database.ts'

const [KIM, ANN] = ['kim@example.com', 'ann@example.com']

let studio: Studio
let room: BranchRoom
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())
beforeEach(async () => {
  room = await branchRoom(studio)
})

const user = (key: string) => studio.world.users![key]!.id as number
const build = (number: number, changelist: number, broken?: string, more: object = {}) =>
  room.report({ number, changelist: String(changelist), ...(broken !== undefined && { broken }), ...more })
/** Runs what follows from reports until nothing is left. */
async function settle() {
  for (let round = 0; round < 3; round++) await room.work()
}
/** Whom the page of a build names, and the changelists it lists as suspects. */
async function saidOf(id: number) {
  const { investigation } = await room.build(id)
  const ids = investigation.suspects.map(({ change_id }: { change_id: number }) => change_id)
  const rows = await studio.db.rows<{ identifier: string }>(sql`
    select identifier from changes where id = any (${ids}::bigint[]) order by identifier`)
  return { person: investigation.attributed_user_id, suspects: rows.map(({ identifier }) => Number(identifier)) }
}
const only = async () => {
  const all = (await room.breakages()).filter(({ state }) => state !== 'withdrawn')
  expect(all).toHaveLength(1)
  return all[0]!
}

test('every build of a breakage names the new suspect after a pass that is reported late', async () => {
  await room.submit(700, { user: KIM })
  await room.submit(701, { user: ANN, file: 'src/Roll.c' })
  await room.submit(702, { user: KIM, file: 'src/Roll.h' })
  await build(1, 700)
  const failed = [await build(4, 702, 'Roll'), await build(5, 702, 'Roll')]
  await settle()
  for (const id of failed) expect(await saidOf(id)).toMatchObject({ person: user('ann') })
  await build(2, 701)
  await settle()
  for (const id of failed) expect(await saidOf(id)).toEqual({ person: user('kim'), suspects: [702] })
  expect(await only()).toMatchObject({ suspects: [{ user_id: user('kim') }], last_good_change: { identifier: '701' } })
})

test('no build of a breakage names anybody after a pass at the same change is reported late', async () => {
  await room.submit(710)
  await room.submit(711, { user: ANN, file: 'src/Roll.c' })
  await build(1, 710)
  const failed = [await build(2, 711, 'Roll'), await build(3, 711, 'Roll')]
  await settle()
  for (const id of failed) expect(await saidOf(id)).toMatchObject({ person: user('ann') })
  await build(4, 711)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed', flaky: true, suspects: [] })
  for (const id of failed) expect(await saidOf(id)).toEqual({ person: null, suspects: [] })
})

test('builds of a fixed breakage follow its range, too', async () => {
  for (const changelist of [720, 723]) await room.submit(changelist)
  await room.submit(721, { user: ANN, file: 'src/Roll.c' })
  await room.submit(722, { user: KIM, file: 'src/Roll.h' })
  await build(1, 720)
  const failed = await build(3, 722, 'Roll')
  await settle()
  await build(4, 723)
  await settle()
  expect(await only()).toMatchObject({ state: 'fixed' })
  expect(await saidOf(failed)).toMatchObject({ person: user('ann') })
  await build(2, 721)
  await settle()
  expect(await saidOf(failed)).toEqual({ person: user('kim'), suspects: [722] })
})

test('an earlier occurrence follows its range after it was reopened', async () => {
  for (const changelist of [730, 733]) await room.submit(changelist)
  await room.submit(731, { user: ANN, file: 'src/Roll.c' })
  await room.submit(732, { user: KIM, file: 'src/Roll.h' })
  await build(1, 730)
  const first = await build(3, 732, 'Roll')
  await build(4, 733)
  await settle()
  await room.submit(734, { user: ANN, file: 'src/Roll.c' })
  const second = await build(5, 734, 'Roll')
  await settle()
  expect(await only()).toMatchObject({ reopened_count: 1 })
  await build(2, 731)
  await settle()
  expect(await saidOf(first)).toEqual({ person: user('kim'), suspects: [732] })
  expect(await saidOf(second)).toEqual({ person: user('ann'), suspects: [734] })
})
