import { afterAll, beforeAll, expect, test } from 'vitest'
import { advanceClock } from '../../../test/support/clock.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'
import { activeRules } from './announce.ts'
import { create } from './channels.ts'

/** Far from UTC, and without daylight saving time. */
const ZONE = 'America/Phoenix'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio(workshop)
  await studio.db.execute(sql`update accounts set timezone = ${ZONE}`)
})
afterAll(() => studio.close())

const { id } = visitor(() => studio)

/** Moves the clock to the next time of day in the account's time zone, and returns the date. */
async function becomes(clock: string): Promise<string> {
  const { seconds } = (await studio.db.one<{ seconds: number }>(sql`
    select mod((extract(epoch from ${clock}::time) - extract(epoch from (goldmaster_now() at time zone ${ZONE})::time) + 86400)::numeric, 86400) + 1 as seconds`))!
  await advanceClock(studio.db, `${seconds} seconds`)
  return (await studio.db.one<{ day: string }>(sql`select (goldmaster_now() at time zone ${ZONE})::date::text as day`))!.day
}

async function waits(quiet_from: string, quiet_until: string) {
  await studio.db.execute(sql`delete from destinations`)
  const rule = {
    project_id: Number(id('projects', 'star')),
    subject: 'breakage' as const,
    branch: '',
    job: '',
    category: null,
    hours: null,
    here: false,
  }
  await create(studio.db, studio.service.vault, Number(id('accounts', 'owl')), {
    kind: 'mattermost',
    name: 'builds',
    secret: 'https://chat.example/hooks/one',
    rules: [{ ...rule, quiet_from, quiet_until }],
  })
  const [found] = await activeRules(studio.db, [rule.project_id])
  return (await studio.db.one<{ at: string | null }>(sql`
    select case when ${found!.not_before}::timestamptz > goldmaster_now() then to_char(${found!.not_before}::timestamptz at time zone ${ZONE}, 'YYYY-MM-DD HH24:MI') end as at`))!
    .at
}

const next = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

test.each([
  ['21:58', undefined],
  ['22:00', next],
  ['23:58', next],
  ['00:10', (day: string) => day],
  ['06:58', (day: string) => day],
  ['07:00', undefined],
])('quiet hours from 22:00 to 07:00 hold a message of %s until the morning', async (clock, morning) => {
  const day = await becomes(clock)
  expect(await waits('22:00', '07:00')).toBe(morning ? `${morning(day)} 07:00` : null)
})

test.each([
  ['11:58', false],
  ['12:00', true],
  ['12:58', true],
  ['13:00', false],
])('quiet hours from 12:00 to 13:00: a message at %s is held: %s', async (clock, keeps) => {
  const day = await becomes(clock)
  expect(await waits('12:00', '13:00')).toBe(keeps ? `${day} 13:00` : null)
})
