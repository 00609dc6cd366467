import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import {
  type BreakageRoom,
  breakageRoom,
  brokenLog,
  DISK_FULL,
  openBreakageStudio,
} from '../../../test/support/studios/breakage-room.ts'
import { namedFiles } from '../../diagnosis/suspects/named-files.ts'
import { breakageAnnouncement } from '../channels/breakage-announcement.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const user = (key: string) => studio.world.users![key]!.id as number

const [ANN, KIM] = ['ann@example.com', 'kim@example.com']
const OFF = { on: false, excluded_user_ids: [] }

/** A room whose change 4 is good; with settings of the automatic assignment. */
async function room(assignment: object = {}, path_owners = '') {
  const made = await breakageRoom(studio)
  const set = (settings: object) => made.api('/settings', { assignment: { ...OFF, on: true, ...settings }, path_owners }, 'PATCH')
  await set(assignment)
  await made.report({ number: 4, status: 'success' })
  return { ...made, set }
}

/** A failure of part5, which only change 5 by Ann touches, is reported at 5 and at 6. */
async function failTwice({ report, work }: BreakageRoom) {
  for (const number of [5, 6]) await report({ number, log: brokenLog('part5') })
  await work()
}

const kinds = ({ history }: { history: { kind: string }[] }) => history.map(({ kind }) => kind)

test('a breakage is assigned to its only suspect at the second failure, and says why', async () => {
  const made = await room()
  const { report, work, only, project, change } = made
  await report({ number: 5, log: brokenLog('part5') })
  await work()
  expect(await only()).toMatchObject({ state: 'open', owner_user_id: null })
  await report({ number: 6, log: brokenLog('part5') })
  await work()
  const found = await only()
  expect(found).toMatchObject({ state: 'claimed', owner_user_id: user('ann'), occurrences: [{ owner_user_id: user('ann') }] })
  expect(found.suspects[0]!.change_id).toBe(change(5))
  expect(found.history.filter(({ kind }) => kind === 'assigned')).toMatchObject([
    { user_id: null, detail: `user:${user('ann')} because their change c5 is the first suspect` },
  ])
  const account_id = studio.world.accounts!.owl!.id as number
  const told = await breakageAnnouncement(studio.db, { account_id, project_id: project }, found.id, 'https://g.example')
  expect(told!.title).toMatch(/^Assigned/)
  expect(told!.facts).toContainEqual({ label: 'Assigned because', value: 'their change c5 is the first suspect' })
  await report({ number: 7, log: brokenLog('part5') })
  await work()
  expect(kinds(await only()).filter((kind) => kind === 'assigned')).toHaveLength(1)
})

test('automatic assignment assigns nobody if it is off, the author is excluded, there are several suspects, or a machine failed', async () => {
  const off = await room({ on: false })
  await failTwice(off)
  expect((await off.only()).owner_user_id).toBeNull()

  const excluded = await room({ excluded_user_ids: [user('ann')] })
  await failTwice(excluded)
  expect((await excluded.only()).owner_user_id).toBeNull()

  const several = await room()
  for (const number of [7, 8]) await several.report({ number, log: 'make: *** [game] Error 1\n' })
  await several.work()
  expect((await several.only()).owner_user_id).toBeNull()

  const machine = await room({}, `* ${KIM}`)
  for (const number of [5, 6]) await machine.report({ number, log: DISK_FULL })
  await machine.work()
  expect(await machine.only()).toMatchObject({ build_count: 2, owner_user_id: null })
})

test('the only owner of the failing file is assigned if no suspect can be', async () => {
  const excluded_user_ids = [user('ann')]
  const made = await room({ excluded_user_ids }, `src/ ${ANN}\nsrc/part5.* ${KIM}\nContent/ ${ANN}`)
  await failTwice(made)
  const found = await made.only()
  expect(found).toMatchObject({ state: 'claimed', owner_user_id: user('kim') })
  expect(found.history.find(({ kind }) => kind === 'assigned')!.detail).toBe(
    `user:${user('kim')} because they own src/part5.*, and the failure names src/part5.c`,
  )
  for (const owners of [`src/part5.* ${KIM}\nsrc/ ${ANN}`, `src/ ${KIM} ${ANN}`, 'src/ @nobody', `src/ ${KIM}\nsrc/part5.*`]) {
    const none = await room({ excluded_user_ids }, owners)
    await failTwice(none)
    expect((await none.only()).owner_user_id, owners).toBeNull()
  }
})

test('clearing the suspect takes the assignment back, also after a note, unless a person has edited the breakage since', async () => {
  for (const edit of [undefined, { note: "I didn't write this" }, { owner_user_id: user('ann') }]) {
    const isTouched = edit !== undefined && !('note' in edit)
    const made = await room()
    const { work, only, api, change, report } = made
    await failTwice(made)
    const { id, builds } = await only()
    if (edit) await api(`/breakages/${id}`, edit)
    for (const build of builds) await api(`/build_runs/${build.id}/correction`, { cleared_change_ids: [change(5)] })
    await work()
    const found = await only()
    expect(found.suspects.map(({ change_id }) => change_id)).not.toContain(change(5))
    expect(found.owner_user_id).toBe(isTouched ? user('ann') : null)
    expect([found.state, kinds(found).includes('unassigned')]).toEqual(isTouched ? ['claimed', false] : ['open', true])
    await report({ number: 7, log: brokenLog('part5') })
    await work()
    expect((await only()).owner_user_id).toBe(isTouched ? user('ann') : null)
  }
})

test('a new project assigns nobody, and only failures of the job itself count as the second one', async () => {
  const untouched = await breakageRoom(studio)
  await untouched.report({ number: 4, status: 'success' })
  await failTwice(untouched)
  expect((await untouched.only()).owner_user_id).toBeNull()
  expect((await untouched.api('/settings')).json.assignment).toEqual(OFF)

  const { report, work, only } = await room()
  await report({ number: 5, log: brokenLog('part5') })
  await report({ job: 'Package', number: 1, at: 5, log: 'The upstream build failed\n', upstream: ['Cook', 5] })
  // The same build, reported again.
  await report({ number: 5, log: brokenLog('part5'), minute: 6 })
  await work()
  expect(await only()).toMatchObject({ build_count: 2, owner_user_id: null })
  await report({ number: 6, log: brokenLog('part5') })
  await work()
  expect((await only()).owner_user_id).toBe(user('ann'))
})

test('a machine that fails at a file of somebody is assigned to nobody', async () => {
  const { report, work, only } = await room({}, `* ${KIM}`)
  const log =
    "$ make game\nsrc/part5.c:1:1: fatal error: can't write PCH file: No space left on device\nmake: *** [game] Error 1\n"
  for (const number of [5, 6]) await report({ number, log })
  await work()
  const { category, evidence, owner_user_id } = await only()
  expect(category).toBe('out_of_disk')
  expect(namedFiles(evidence)).toEqual(['src/part5.c'])
  expect(owner_user_id).toBeNull()
})

test('somebody who may only look at the project gets nothing, neither as author nor as owner of the file', async () => {
  const made = await room({}, `src/ ${ANN}`)
  const viewer = { project_role: 'viewer' }
  expect((await made.api(`/people/${user('ann')}`, viewer, 'PUT')).status).toBe(200)
  await failTwice(made)
  const { suspects, owner_user_id } = await made.only()
  expect([suspects[0]!.user_id, owner_user_id]).toEqual([user('ann'), null])
})

test('an assignment ends when the breakage turns out to flicker, and none follows', async () => {
  const { report, work, only } = await room({}, `src/ ${KIM}`)
  for (const number of [5, 6]) await report({ number, log: brokenLog('part5') })
  await work()
  expect((await only()).owner_user_id).toBe(user('ann'))
  // The same change passes.
  await report({ number: 7, at: 6, status: 'success' })
  await work()
  for (const number of [8, 9]) await report({ number, log: brokenLog('part5') })
  await work()
  expect(await only()).toMatchObject({ flaky: true, owner_user_id: null })
})

test('of two likely suspects nobody is assigned, and once one is cleared the other is', async () => {
  const { report, work, only, api, change } = await room()
  // Changes 5 and 12 touch the file.
  for (const number of [12, 13]) await report({ number, log: brokenLog('part5') })
  await work()
  const { builds, suspects, owner_user_id } = await only()
  expect(suspects.slice(0, 2).map(({ change_id }) => change_id)).toEqual([change(12), change(5)])
  expect(owner_user_id).toBeNull()
  for (const build of builds) await api(`/build_runs/${build.id}/correction`, { cleared_change_ids: [change(12)] })
  await work()
  expect((await only()).owner_user_id).toBe(user('ann'))
})

test('somebody who took the breakage keeps it', async () => {
  const { report, work, only, api } = await room()
  await report({ number: 5, log: brokenLog('part5') })
  await work()
  await api(`/breakages/${(await only()).id}`, { owner_user_id: user('kim') })
  await report({ number: 6, log: brokenLog('part5') })
  await work()
  expect((await only()).owner_user_id).toBe(user('kim'))
})

test('a breakage that a person released is not assigned again until it reopens', async () => {
  const made = await room()
  const { report, work, only, api } = made
  await failTwice(made)
  await api(`/breakages/${(await only()).id}`, { state: 'open' })
  await report({ number: 7, log: brokenLog('part5') })
  await work()
  expect(await only()).toMatchObject({ state: 'open', owner_user_id: null })
})

test('the settings are shown, and changing others keeps them', async () => {
  const { set, api } = await room({}, `src/ ${KIM}`)
  const assignment = { on: true, excluded_user_ids: [user('ann')] }
  const shown = { assignment, path_owners: `src/ ${KIM}` }
  expect((await set(assignment)).json).toMatchObject(shown)
  expect((await api('/settings', { name: 'Renamed' }, 'PATCH')).json).toMatchObject(shown)
})

test('files are read from the first line that names one', () => {
  const line = (text: string) => ({ line: 1, text })
  expect(namedFiles([line('make: failed'), line("C:\\ws\\Source\\Mixer.cpp(12): error C2065: 'x'"), line('b.cpp(1)')])).toEqual([
    '\\ws\\Source\\Mixer.cpp',
  ])
  expect(namedFiles([line('Linker exited with 1')])).toEqual([])
})
