import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BreakageRoom, breakageRoom, brokenLog, DISK_FULL, openBreakageStudio } from '../../../test/support/breakage-room.ts'
import type { Studio } from '../../../test/support/studio.ts'
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

test('clearing the suspect takes the assignment back, unless a person has edited the breakage since', async () => {
  for (const isTouched of [false, true]) {
    const made = await room()
    const { work, only, api, change, report } = made
    await failTwice(made)
    const { id, builds } = await only()
    if (isTouched) await api(`/breakages/${id}`, { note: 'on it' })
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
