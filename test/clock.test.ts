import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/database.ts'
import { advanceClock, clockTime } from './support/clock.ts'
import type { Studio } from './support/studio.ts'
import { breakageRoom, openBreakageStudio } from './support/studios/breakage-room.ts'
import { workOffDue } from './support/work-off.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

test('a failure without a log waits a minute by the clock that a test moves', async () => {
  const room = await breakageRoom(studio)
  await room.report({ number: 5 })
  expect(await workOffDue(studio, 'investigate_failure')).toBe(0)
  await advanceClock(studio.db, '59 seconds')
  expect(await workOffDue(studio, 'investigate_failure')).toBe(0)
  await advanceClock(studio.db, '2 seconds')
  expect(await workOffDue(studio, 'investigate_failure')).toBe(1)
  await room.only()
})

test('builds reported without a time get the time of the moved clock', async () => {
  const room = await breakageRoom(studio)
  await advanceClock(studio.db, '3 days')
  const before = await clockTime(studio.db)
  const id = await room.report({ number: 1, status: 'running' })
  const build = await studio.db.one<{ created_at: string }>(sql`select created_at from build_runs where id = ${id}`)
  expect(Date.parse(build!.created_at)).toBeGreaterThanOrEqual(before.getTime())
})
