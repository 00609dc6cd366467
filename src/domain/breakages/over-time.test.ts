import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advanceClock, resetClock } from '../../../test/support/clock.ts'
import { type ChatVendors, openChatVendors } from '../../../test/support/servers/chat-vendors.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { RULE } from '../../../test/support/studios/channel-room.ts'
import { until } from '../../../test/support/until.ts'
import { workOffDue } from '../../../test/support/work-off.ts'
import type { ChannelKind } from '../../contract/channels.ts'
import { sql } from '../../db/database.ts'
import type { Lanes } from '../../jobs/lanes.ts'
import { startSender } from '../../jobs/sending/sender.ts'
import { allowedHosts } from '../../net/addresses.ts'
import * as channels from '../channels/channels.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import * as inbox from '../inbox/inbox.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'

const [KIM, ANN] = ['kim@example.com', 'ann@example.com']

let studio: Studio
let room: BranchRoom
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())
beforeEach(async () => {
  await studio.db.execute(sql`delete from mails`)
  await studio.db.execute(sql`delete from notifications`)
  room = await branchRoom(studio)
})
afterEach(() => resetClock(studio.db))

const user = (key: string) => studio.world.users![key]!.id as number
/** Changelists from one number to another, each with a file named after it. */
async function submit(from: number, to = from, more: Parameters<BranchRoom['submit']>[1] = {}) {
  for (let changelist = from; changelist <= to; changelist++) await room.submit(changelist, { user: KIM, ...more })
}
const build = (number: number, more: { broken?: string; job?: string; changelist?: number; status?: string } = {}) =>
  room.report({ number, ...more, changelist: String(more.changelist ?? number) })
/** Sends every message that is due. */
async function tell() {
  await room.work()
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, { vault: studio.service.vault, site: 'https://gold.example' }));
  await room.work()
}
const titles = async (key: string) => (await inbox.list(studio.db, user(key), {})).notifications.map(({ title }) => title)
const mailed = async (key: string) =>
  (await studio.db.rows<{ subject: string }>(sql`select subject from mails where to_user_id = ${user(key)} order by id`)).map(
    ({ subject }) => subject,
  )
const only = async () => {
  const all = await room.breakages()
  expect(all).toHaveLength(1)
  return all[0]!
}

describe('a reopened breakage', () => {
  test('suspects and notifies only the author of the change that broke it again, and has no owner', async () => {
    await submit(1200)
    await build(1200)
    await submit(1201, 1201, { user: KIM, file: 'src/Roll.c' })
    await build(1201, { broken: 'Roll' })
    await tell()
    expect(await mailed('kim')).toHaveLength(1)
    const { id } = await only()
    await room.api(`/breakages/${id}`, { method: 'PATCH', body: { state: 'claimed' } })
    await submit(1202, 1203)
    await submit(1204, 1204, { file: 'src/Roll.c' })
    await build(1204)
    await tell()
    expect(await only()).toMatchObject({ state: 'fixed', fixed_by_change: { identifier: '1204' }, owner_user_id: user('kim') })
    await advanceClock(studio.db, '2 hours')
    await submit(1205, 1205, { user: ANN, file: 'src/Roll.c' })
    await build(1205, { broken: 'Roll' })
    await tell()
    const again = await only()
    expect(again).toMatchObject({
      id,
      state: 'open',
      owner_user_id: null,
      reopened_count: 1,
      last_good_change: { identifier: '1204' },
      first_bad_change: { identifier: '1205' },
      occurrences: [
        { number: 2, owner_user_id: null, fixed_at: null },
        {
          number: 1,
          owner_user_id: user('kim'),
          last_good_change: { identifier: '1200' },
          first_bad_change: { identifier: '1201' },
        },
      ],
    })
    expect(again.suspects.map(({ user_id }) => user_id)).toEqual([user('ann')])
    // "Since" is when it broke again.
    expect(Date.parse(again.opened_at) - Date.parse(again.occurrences[1]!.opened_at)).toBeGreaterThan(7_000_000)
    expect([(await mailed('kim')).length, (await mailed('ann')).length]).toEqual([1, 1])
    await advanceClock(studio.db, '10 minutes')
    await submit(1206)
    await build(1206)
    await tell()
    const seconds = (await room.health()).time_to_green_seconds!
    expect(seconds).toBeLessThan(3_600)
  })
})

describe('a rebuild of a change that had passed', () => {
  test('has no suspects: the range is empty', async () => {
    await submit(10)
    await build(10)
    await submit(11, 11, { file: 'src/Roll.c' })
    await build(11)
    await build(12, { changelist: 11, broken: 'Roll' })
    await tell()
    const { suspects, last_good_change, first_bad_change, flaky } = await only()
    expect([suspects, last_good_change?.identifier, first_bad_change?.identifier, flaky]).toEqual([[], '11', '11', true])
    expect([await titles('kim'), await mailed('kim')]).toEqual([[], []])
  })
})

describe('a narrowed range', () => {
  test('notifies the new suspect, and sends the cleared person only an inbox entry', async () => {
    await submit(20)
    await build(20)
    await submit(21, 21, { user: KIM, file: 'src/Roll.c' })
    await submit(22, 23, { user: KIM })
    await submit(24, 24, { user: ANN, file: 'src/Roll.h' })
    await build(24, { broken: 'Roll' })
    await tell()
    expect([(await mailed('kim')).length, (await mailed('ann')).length]).toEqual([1, 0])
    await build(100, { changelist: 22 })
    await tell()
    expect(await only()).toMatchObject({ last_good_change: { identifier: '22' }, suspects: [{ user_id: user('ann') }, {}] })
    expect([(await mailed('kim')).length, (await mailed('ann')).length]).toEqual([1, 1])
    expect(await titles('kim')).toEqual([
      expect.stringContaining('no longer suspected'),
      expect.stringMatching(/^Broken on .*Roll/),
    ])
    await build(101, { changelist: 23 })
    await tell()
    expect([(await mailed('kim')).length, (await mailed('ann')).length, (await titles('kim')).length]).toEqual([1, 1, 2])
  })

  test('follows changes that arrive after the build they belong to', async () => {
    await submit(30)
    await build(30)
    await submit(33, 33, { user: KIM })
    await build(33, { broken: 'Roll' })
    await tell()
    expect((await only()).suspects.map(({ user_id }) => user_id)).toEqual([user('kim')])
    await advanceClock(studio.db, '3 hours')
    await submit(32, 32, { user: ANN, file: 'src/Roll.c' })
    await tell()
    expect((await only()).suspects[0]).toMatchObject({ user_id: user('ann') })
    expect(await mailed('ann')).toHaveLength(1)
  })
})

describe('a flickering breakage', () => {
  test('that reopened twice within a week without a change to its files has no suspects', async () => {
    await submit(40)
    await build(40)
    await submit(41, 41, { file: 'src/Roll.c' })
    await build(41, { broken: 'Roll' })
    for (const [red, green] of [
      [42, 43],
      [44, 45],
    ] as const) {
      await submit(red, green)
      await build(red)
      await tell()
      expect((await only()).flaky).toBe(false)
      await build(green, { broken: 'Roll' })
      await tell()
    }
    expect(await only()).toMatchObject({ state: 'open', flaky: true, suspects: [], reopened_count: 2 })
    expect(await mailed('kim')).toHaveLength(1)
  })

  test('does not count as flickering when a change in between touches its files', async () => {
    await submit(50)
    await build(50)
    await submit(51, 51, { file: 'src/Roll.c' })
    await build(51, { broken: 'Roll' })
    await submit(52)
    await build(52)
    await submit(53, 53, { file: 'src/Roll.c' })
    await build(53, { broken: 'Roll' })
    await submit(54)
    await build(54)
    await submit(55)
    await build(55, { broken: 'Roll' })
    await tell()
    expect(await only()).toMatchObject({ flaky: false, occurrences: [{}, {}, {}] })
  })
})

describe('the fixing change', () => {
  const broken = async (file = 'src/Roll.c') => {
    await submit(60)
    await build(60)
    await submit(61, 61, { file })
    await build(61, { broken: 'Roll' })
    await tell()
  }

  test('is not an asset in the same range', async () => {
    await broken()
    await submit(62, 62, { user: ANN, file: 'Content/Rocks/Rock_01.uasset' })
    await submit(63, 63, { user: ANN, file: 'Content/Rocks/Roll.uasset' })
    await build(63)
    await tell()
    expect(await only()).toMatchObject({
      state: 'fixed',
      fixed_by_change: null,
      fixed_after_change: { identifier: '61' },
      fixed_up_to_change: { identifier: '63' },
    })
  })

  test('is the only change in the range, the one that touches its files, or the one that backs out a suspect', async () => {
    await broken()
    await submit(62, 62, { file: 'Content/Rock.uasset' })
    await build(62)
    await tell()
    expect((await only()).fixed_by_change).toMatchObject({ identifier: '62' })
    room = await branchRoom(studio)
    await broken()
    await submit(62, 62, { file: 'Content/Rock.uasset' })
    await submit(63, 63, { file: 'src/Roll.c' })
    await build(63)
    await tell()
    expect((await only()).fixed_by_change).toMatchObject({ identifier: '63' })
    room = await branchRoom(studio)
    await broken()
    await submit(62)
    const files = ['//game/main/src/Other.c']
    await room.post('perforce', 'perforce', { changelist: 63, user: KIM, description: 'Back out changelist 61', files })
    await build(63)
    await tell()
    expect((await only()).fixed_by_change).toMatchObject({ identifier: '63' })
  })

  test('is found again when it arrives hours later, although the job has passed since', async () => {
    await broken()
    await submit(63, 63, { file: 'Content/Rock.uasset' })
    await build(63)
    await tell()
    expect((await only()).fixed_by_change).toMatchObject({ identifier: '63' })
    await advanceClock(studio.db, '8 hours')
    await submit(64)
    await build(64)
    await submit(62, 62, { file: 'src/Roll.c' })
    await advanceClock(studio.db, '5 seconds')
    await tell()
    expect((await only()).fixed_by_change).toMatchObject({ identifier: '62' })
  })

  test('is unknown when two changes are equally likely', async () => {
    await broken()
    await submit(62, 63, { file: 'src/Roll.c' })
    await build(63)
    await tell()
    expect(await only()).toMatchObject({ state: 'fixed', fixed_by_change: null })
  })
})

describe('a breakage in chat', () => {
  let vendors: ChatVendors
  let node: Lanes
  const KINDS: ChannelKind[] = ['slack', 'discord', 'teams', 'slack_webhook']
  beforeEach(async () => {
    vendors = await openChatVendors({ people: { [KIM]: 'U0KIM', [ANN]: 'U0ANN' } })
    for (const kind of KINDS)
      await channels.create(studio.db, studio.service.vault, studio.world.accounts!.owl!.id as number, {
        kind,
        name: kind,
        secret: vendors.destination(kind, 'C0BUILDS').secret,
        ...(kind === 'slack' && { room: 'C0BUILDS' }),
        rules: [{ ...RULE, project_id: room.project, subject: 'breakage' }],
      })
    node = startSender({
      db: studio.db,
      vault: studio.service.vault,
      log: pino({ level: 'silent' }),
      allowed: allowedHosts(['127.0.0.1']),
      site: 'https://gold.example',
      slackApi: vendors.destination('slack', 'C0ANY').api!,
    })
  })
  afterEach(async () => {
    await node.stop()
    await studio.db.execute(sql`delete from destinations`)
    await vendors.close()
  })
  async function quiet() {
    await sequenceAll(studio.db)
    const waits = sql`select from outbox_heads where position > least(fixes, channels, inbox)`
    await until(async () => (await studio.db.execute(waits)) === 0)
    const queued = sql`select from messages where status in ('waiting', 'sending')`
    await until(async () => (await studio.db.execute(queued)) === 0)
  }
  const said = (kind: ChannelKind) => vendors.messages(kind, 'C0BUILDS').map(({ text }) => text)

  test('is withdrawn, not fixed, when a log that arrives 70 seconds later shows another cause', async () => {
    await submit(70)
    await build(70)
    await submit(71, 71, { file: 'src/Roll.c' })
    await build(71, { status: 'failed' })
    await advanceClock(studio.db, '61 seconds')
    expect(await workOffDue(studio, 'investigate_failure')).toBe(1)
    await quiet()
    expect(said('teams')).toHaveLength(1)
    await advanceClock(studio.db, '9 seconds')
    await build(71, { broken: 'Roll' })
    await room.work()
    await quiet()
    const [first, second] = (await room.breakages()).toSorted((a, b) => Number(a.id) - Number(b.id))
    expect(first).toMatchObject({
      state: 'withdrawn',
      withdrawn_reason: 'same_as',
      same_as_breakage_id: second!.id,
      fixed_at: null,
      build_count: 0,
    })
    expect(second).toMatchObject({ state: 'open', category: 'compile_error' })
    for (const kind of KINDS) expect(said(kind).join()).not.toContain('Fixed')
    for (const kind of ['slack', 'discord'] as const) expect(said(kind)[0]).toMatch(/Withdrawn[\s\S]*Duplicate of/)
    for (const kind of ['teams', 'slack_webhook'] as const) expect(said(kind)).toHaveLength(2)
    const events = await room.events()
    expect(events).toContain(`breakage.withdrawn ${first!.id}`)
    expect(events.join()).not.toContain('breakage.fixed')
    expect((await room.api(`/breakages/${first!.id}`, { method: 'PATCH', body: { state: 'claimed' } })).status).toBe(422)
    expect((await room.health()).time_to_green_seconds).toBeNull()
  })

  test('is withdrawn when a later investigation finds the cause in the upstream job', async () => {
    await submit(80)
    await build(80)
    await submit(81, 81, { file: 'src/Roll.c' })
    await room.report({
      job: 'Deploy',
      number: 9,
      changelist: '81',
      status: 'failed',
      upstream_job_name: 'Cook',
      upstream_build_number: 81,
    })
    await room.work()
    await quiet()
    await build(81, { broken: 'Roll' })
    await room.work()
    await quiet()
    const all = await room.breakages()
    const [open] = all.filter(({ state }) => state === 'open')
    expect(open).toMatchObject({ jobs: ['Cook', 'Deploy'] })
    expect(all.filter(({ state }) => state === 'withdrawn')).toMatchObject([{ same_as_breakage_id: open!.id }])
    for (const kind of KINDS) expect(said(kind).join()).not.toContain('Fixed')
  })

  test('is posted as broken, fixed and broken again in rooms that cannot edit messages', async () => {
    await submit(90)
    await build(90)
    for (const [red, green] of [
      [91, 92],
      [93, 94],
    ] as const) {
      await submit(red, red, { file: 'src/Roll.c' })
      await build(red, { broken: 'Roll' })
      await room.work()
      await quiet()
      await submit(green, green, { file: 'src/Roll.c' })
      await build(green)
      await room.work()
      await quiet()
    }
    for (const kind of ['teams', 'slack_webhook'] as const)
      expect(said(kind).map((text) => /Broken again|Broken|Fixed/.exec(text)![0])).toEqual([
        'Broken',
        'Fixed',
        'Broken again',
        'Fixed',
      ])
  })
})
