import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import * as names from '../accounts/connected-accounts.ts'
import { matchPeople } from '../accounts/match-people.ts'
import { breakageAnnouncement } from '../channels/breakage-announcement.ts'
import { sequenceAll } from '../feed/sequencer.ts'
import * as inbox from '../inbox/inbox.ts'
import { readOutbox } from '../inbox/outbox-readers.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

const SITE = 'https://gold.example'
const idOf = (key: string) => studio.world.users![key]!.id as number
const account = () => studio.world.accounts!.owl!.id as number

/** Passes on what happened, as a node does. */
async function tell() {
  await sequenceAll(studio.db)
  while (await readOutbox(studio.db, { vault: studio.service.vault, site: SITE }));
}

/**
 * A room in which change 5 is by `adoe` in the tool; by default Ann is known as `adoe` there. Two builds failed for it, the second one after
 * everybody was told of the first, or both `atOnce`.
 */
async function room({ known = 'found', owners = '', excluded = [] as number[], atOnce = false } = {}) {
  const made = await breakageRoom(studio)
  const { project, report, work, api } = made
  await api('/settings', { assignment: { on: true, excluded_user_ids: excluded }, path_owners: owners }, 'PATCH')
  await studio.db.execute(sql`update changes set author = 'adoe' where id = ${made.change(5)}`)
  await studio.db.execute(sql`delete from connected_accounts`)
  if (known === 'found') await listed()
  if (known === 'entered') {
    const { id } = await names.claim(studio.db, idOf('ann'), 'github', 'adoe')
    await names.confirm(studio.db, account(), [id], idOf('kim'))
  }
  await report({ number: 4, status: 'success' })
  for (const number of [5, 6]) {
    await report({ number, log: brokenLog('part5') })
    if (atOnce && number === 5) continue
    await work()
    await tell()
  }
  return {
    ...made,
    /** The titles in somebody's inbox, the newest first, with the words that say what they are about left out. */
    told: async (key: string) =>
      (await inbox.list(studio.db, idOf(key), {})).notifications
        .filter(({ path }) => path.startsWith(`/projects/${project}/`))
        .map(({ title }) => title.replace(/ on main: src.*undeclared/, '')),
  }
}

/** The server of the tool lists `adoe` with Ann's address. */
const listed = () =>
  matchPeople(studio.db, account(), 'github', [{ uid: 'adoe', name: 'A. Doe', email: 'ann@example.com' }], { isTrusted: true })

async function correct() {
  await workOff(studio, 'correct_authors')
  await tell()
}

test.each(['found', 'entered'])(
  'a name that was %s and is not mine takes suspicion, assignment and messages back',
  async (known) => {
    const { project, only, change, told, api } = await room({ known })
    const wrong = await only()
    expect(wrong).toMatchObject({ state: 'claimed', owner_user_id: idOf('ann') })
    expect(wrong.suspects[0]).toMatchObject({ change_id: change(5), user_id: idOf('ann') })
    await workOff(studio, 'correct_authors')
    const revisions = () =>
      studio.db.execute(sql`select from outbox where event_type = 'breakage.revised' and row_id = ${wrong.id}`)
    const before = await revisions()

    const alerted = async () =>
      (await studio.db.one<{ user_id: number | null }>(sql`select user_id from measure_alerts where project_id = ${project}`))!
        .user_id
    await studio.db.execute(sql`
      insert into measure_alerts (account_id, project_id, kind, budget, measure, platform, unit, job, branch, build_run_id, change_id, user_id)
      values (${account()}, ${project}, 'exceeded', '{}', 'package', '', '', 'Cook', 'main', ${wrong.builds[0]!.id}, ${change(5)}, ${idOf('ann')})`)

    const [name] = await names.list(studio.db, idOf('ann'))
    await names.remove(studio.db, idOf('ann'), name!.id)
    await correct()
    const { suspects, ...right } = await only()
    expect(right).toMatchObject({ state: 'open', owner_user_id: null, occurrences: [{ owner_user_id: null }] })
    // The change is still suspected. Whose it is, is unknown.
    expect(suspects[0]).toMatchObject({ change_id: change(5), user_id: null })
    for (const { id } of right.builds) {
      const { investigation } = (await api(`/build_runs/${id}`)).json
      expect(investigation.suspects[0]).toMatchObject({ change_id: change(5), user_id: null })
    }
    expect(await alerted()).toBeNull()
    expect(await revisions()).toBeGreaterThan(before)
    const said = await breakageAnnouncement(studio.db, { account_id: account(), project_id: project }, right.id, SITE)
    expect(said!.mentions).toEqual([])
    expect(JSON.stringify(said)).not.toContain('Ann')
    expect(await told('ann')).toEqual([
      'Your change is no longer suspected: Broken (your change c5)',
      'Assigned (your change c5 is the first suspect)',
      'Broken (your change c5)',
    ])
  },
)

test('nobody is named for a change whose login two members share', async () => {
  const { change, report, work, breakages } = await breakageRoom(studio)
  await studio.db.execute(sql`update changes set author = 'Lab' where id = ${change(5)}`)
  await studio.db.execute(sql`update changes set author = 'Alone' where id = ${change(7)}`)
  await studio.db.execute(sql`delete from connected_accounts`)
  const logins = [
    ['ann', 'lab'],
    ['kim', 'LAB'],
    ['kim', 'alone'],
  ] as const
  for (const [key, uid] of logins)
    await studio.db.execute(sql`insert into connected_accounts (user_id, provider, uid) values (${idOf(key)}, 'github', ${uid})`)
  await report({ number: 4, status: 'success' })
  await report({ number: 5, log: brokenLog('part5') })
  await report({ number: 6, status: 'success' })
  await report({ number: 7, log: brokenLog('part7') })
  await work()
  const suspects = (await breakages()).flatMap((one) => one.suspects)
  expect(suspects.map(({ change_id, user_id }) => [change_id, user_id]).toSorted()).toEqual([
    [change(5), null],
    [change(7), idOf('kim')],
  ])
})

test('the real author is notified of an open breakage, but not of a fixed one', async () => {
  const open = await room({ known: 'nobody' })
  expect(await open.only()).toMatchObject({ state: 'open', suspects: [{ user_id: null }] })
  await listed()
  await correct()
  expect(await open.only()).toMatchObject({ state: 'claimed', owner_user_id: idOf('ann'), suspects: [{ user_id: idOf('ann') }] })
  expect(await open.told('ann')).toEqual(['Assigned (your change c5 is the first suspect)'])

  const fixed = await room({ known: 'nobody' })
  await fixed.report({ number: 7, status: 'success' })
  await fixed.work()
  await listed()
  await correct()
  expect(await fixed.only()).toMatchObject({ state: 'fixed', owner_user_id: null })
  expect(await fixed.told('ann')).toEqual([])
})

test('who loses an automatic assignment is notified once, and the first entry becomes unread if they get it back', async () => {
  const { told, only, api, work, change } = await room({ atOnce: true })
  const assigned = 'Assigned (your change c5 is the first suspect)'
  expect(await told('ann')).toEqual([assigned])
  const mail = await studio.db.one<{ text: string }>(
    sql`select text from mails where to_user_id = ${idOf('ann')} order by id desc limit 1`,
  )
  expect(mail!.text).toContain(
    'assigned to you because your change c5 is the first suspect. If that is wrong, select “Not the cause”',
  )
  const corrections: string[] = []
  for (const { id } of (await only()).builds) {
    const { json } = await api(`/build_runs/${id}/correction`, { cleared_change_ids: [change(5)] })
    corrections.push(json.id)
  }
  await work()
  await tell()
  await tell()
  expect(await only()).toMatchObject({ owner_user_id: null })
  expect(await told('ann')).toEqual(['No longer assigned to you: Broken', assigned])
  for (const id of corrections) await api(`/corrections/${id}/undo`, {}, 'POST')
  await work()
  await tell()
  expect(await only()).toMatchObject({ owner_user_id: idOf('ann') })
  expect(await told('ann')).toEqual([assigned])
})

test('the owner of a file is notified if the breakage they were assigned is withdrawn', async () => {
  const { told, breakages, api, work } = await room({ owners: 'src/part5.c kim@example.com', excluded: [idOf('ann')] })
  const assigned = 'Assigned (you own src/part5.c, and the failure names src/part5.c)'
  expect(await told('kim')).toEqual([assigned])
  const [wrong] = await breakages()
  await api(`/build_runs/${wrong!.builds[0]!.id}/correction`, { category: 'out_of_disk' })
  await work()
  // The other build of the breakage follows.
  await work()
  await tell()
  expect((await breakages()).find(({ id }) => id === wrong!.id)).toMatchObject({ state: 'withdrawn' })
  expect(await told('kim')).toEqual(['No longer assigned to you: Withdrawn', assigned])
})

test('a person who hands a breakage over is not told that it was taken back', async () => {
  const { told, only, api } = await room({ atOnce: true })
  await api(`/breakages/${(await only()).id}`, { owner_user_id: idOf('kim') })
  await tell()
  expect(await told('ann')).toHaveLength(1)
})
