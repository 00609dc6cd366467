import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveTimes } from '../../../test/support/aging.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { sql } from '../../db/database.ts'
import { announcementOf } from '../channels/announcements.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())

async function roomOf(...changelists: number[]) {
  const room = await branchRoom(studio)
  for (const changelist of changelists) await room.submit(changelist)
  return room
}

test('a new job leaves earlier good changes good, and is named as the job that holds the branch back', async () => {
  const room = await roomOf(1201, 1202, 1203)
  await room.report({ job: 'Editor', number: 1, changelist: 1201 })
  await room.report({ job: 'Editor', number: 2, changelist: 1203 })
  expect(await room.health()).toMatchObject({ last_known_good: { identifier: '1203' }, held_back_by: [] })
  await room.report({ job: 'Lint', number: 1, changelist: 1203, broken: 'part1203' })
  expect(await room.health()).toMatchObject({
    state: 'red',
    last_known_good: { identifier: '1202' },
    held_back_by: ['Lint'],
  })
  const { json } = await room.api('/branches')
  expect(json.branches).toMatchObject([{ name: '//game/main', held_back_by: ['Lint'] }])
})

test('a branch on which no job has passed yet has no good change, and its red jobs are named', async () => {
  const room = await roomOf(1201, 1202)
  await room.report({ number: 1, changelist: 1202, broken: 'part1202' })
  expect(await room.health()).toMatchObject({ last_known_good: null, held_back_by: ['Cook'] })
})

test('the job that is behind the others holds the branch back', async () => {
  const room = await roomOf(1201, 1202)
  for (const job of ['Editor', 'Cook']) await room.report({ job, number: 1, changelist: 1201 })
  await room.report({ job: 'Editor', number: 2, changelist: 1202 })
  expect(await room.health()).toMatchObject({ last_known_good: { identifier: '1201' }, held_back_by: ['Cook'] })
})

describe('a job that fell silent', () => {
  /** Editor is renamed: the old job failed last, days ago by the branch's own builds, and the new one has reported this many since. */
  async function renamed(days: number, builds: number) {
    const room = await roomOf(1201, 1202, 1203)
    await room.report({ job: 'Editor', number: 1, changelist: 1201 })
    const old = await room.report({ job: 'Editor', number: 2, changelist: 1202, broken: 'part1202' })
    for (let number = 1; number <= builds; number++) await room.report({ job: 'Editor-Win64', number, changelist: 1203 })
    // All of it a month ago: the time until today must not matter.
    const aged = sql`interval '-31 days' - make_interval(days => case when t.id <= ${old} then ${days}::integer else 0 end)`
    await moveTimes(studio.db, 'build_runs', ['created_at'], aged, sql`t.project_id = ${room.project}`)
    return room.health()
  }

  test('for seven days while others reported twenty builds is no longer required', async () => {
    const { state, last_known_good, jobs } = await renamed(8, 20)
    expect({ state, good: last_known_good?.identifier, jobs: jobs.map(({ name }) => name) }).toEqual({
      state: 'green',
      good: '1203',
      jobs: ['Editor-Win64'],
    })
  })

  test('is measured from its newest build by number, not from the one that was reported last', async () => {
    const room = await roomOf(1201)
    await room.report({ job: 'Editor', number: 1, changelist: 1201 })
    await room.report({ job: 'Lint', number: 2, changelist: 1201 })
    for (let number = 1; number <= 20; number++) await room.report({ job: 'Cook', number, changelist: 1201 })
    // Lint's first build is reported eight days later, behind those of others.
    await moveTimes(
      studio.db,
      'build_runs',
      ['created_at'],
      sql`interval '-8 days'`,
      sql`t.project_id = ${room.project} and t.ci_job_name <> 'Cook'`,
    )
    const jobs = async () => (await room.health()).jobs.map(({ name }) => name).sort()
    expect(await jobs()).toEqual(['Cook'])
    await room.report({ job: 'Lint', number: 1, changelist: 1201, broken: 'part1201' })
    expect(await jobs()).toEqual(['Cook'])
    await room.report({ job: 'Lint', number: 3, changelist: 1201 })
    expect(await jobs()).toEqual(['Cook', 'Lint'])
  })

  test.each([
    [6, 20],
    [8, 19],
  ])('for %d days and %d builds of others is still required', async (days, builds) => {
    expect(await renamed(days, builds)).toMatchObject({
      state: 'red',
      last_known_good: { identifier: '1201' },
      held_back_by: ['Editor'],
    })
  })
})

test('a pass where a git branch left another counts for the branch', async () => {
  const room = await branchRoom(studio)
  await room.push('main', ['c1', 'c2'])
  await room.report({ number: 1, branch: 'main', commit: 'c2' })
  await room.push('release/1.0', [], { created: true, after: 'c2' })
  await room.push('release/1.0', ['r1', 'r2'], { before: 'c2' })
  await room.report({ number: 2, branch: 'release/1.0', commit: 'r1', broken: 'r1' })
  expect(await room.health('release/1.0')).toMatchObject({
    state: 'red',
    head: { identifier: 'r2' },
    last_known_good: { identifier: 'c2' },
    changes_behind: 2,
    held_back_by: ['Cook'],
  })
})

describe('a change that somebody marks as good', () => {
  const mark = { branch: 'Main', change: '1202', reason: 'Played it. Only the lint job is red.' }

  test('is the last known good change, with person and reason, until a later one is good or the mark is removed', async () => {
    const room = await roomOf(1201, 1202, 1203)
    await room.report({ number: 1, changelist: 1201 })
    await room.report({ number: 2, changelist: 1202, broken: 'part1202' })
    const { status, json } = await room.api('/branches/good', { method: 'PATCH', body: mark })
    expect(status).toBe(200)
    expect(json).toMatchObject({
      state: 'red',
      last_known_good: { identifier: '1202' },
      marked_good: { user_id: studio.world.users!.kim!.id, reason: mark.reason },
      changes_behind: 1,
    })
    expect(await room.health()).toEqual(json)
    const { id } = (await room.api('/changes?identifier=1202')).json.changes[0]
    const { history } = (await room.api(`/changes/${id}/history`)).json
    expect(history.filter(({ kind }: { kind: string }) => kind === 'marked_good')).toMatchObject([
      { via_token: true, note: mark.reason, user_id: studio.world.users!.kim!.id },
    ])
    await room.report({ number: 3, changelist: 1203 })
    expect(await room.health()).toMatchObject({ last_known_good: { identifier: '1203' }, marked_good: null })
    await room.report({ number: 4, changelist: 1203, broken: 'part1202' })
    expect(await room.health()).toMatchObject({ last_known_good: { identifier: '1202' } })
    await room.api('/branches/good', { method: 'PATCH', body: { ...mark, reason: undefined, good: false } })
    expect(await room.health()).toMatchObject({ last_known_good: { identifier: '1201' }, marked_good: null })
  })

  test.each([
    ['without a reason', { ...mark, reason: undefined }, 422],
    ['on another stream', { ...mark, change: '1301' }, 422],
    ['that is unknown', { ...mark, change: '9999' }, 422],
    ['of no branch', { ...mark, branch: '//game/away' }, 404],
    ['without a mark', { ...mark, good: false }, 422],
  ])('%s is refused', async (_, body, status) => {
    const room = await roomOf(1201, 1202)
    await room.submit(1301, { stream: '//game/dev' })
    expect((await room.api('/branches/good', { method: 'PATCH', body })).status).toBe(status)
  })

  test('needs a token with write:breakages', async () => {
    const room = await roomOf(1201, 1202)
    const token = studio.world.tokens!.reader!.token as string
    expect((await room.api('/branches/good', { method: 'PATCH', body: mark, token })).status).toBe(403)
  })
})

test('the warning about an old last known good change names the change, its age and the red job', async () => {
  // Another project of the account, with a name of its own.
  await roomOf()
  const room = await roomOf(1201, 1202, 1203)
  await room.report({ number: 1, changelist: 1201 })
  await room.report({ number: 2, changelist: 1202, broken: 'part1202' })
  const first = sql`t.project_id = ${room.project} and t.identifier = '1201'`
  await moveTimes(studio.db, 'changes', ['timestamp'], sql`interval '-26 hours'`, first)
  const about = {
    ...room.owner,
    subject: 'last_known_good',
    subject_id: '//game/main',
    here: false,
  } as const
  const project = await studio.db.one<{ name: string }>(sql`select name from projects where id = ${room.project}`)
  expect(await announcementOf(studio.db, about, 'https://gold.example')).toMatchObject({
    title: '//game/main was last good 26 hours ago, at CL 1201',
    facts: [
      { label: 'Project', value: project!.name },
      { label: 'Branch', value: '//game/main' },
      { label: 'Last known good', value: 'CL 1201, 26 hours old, 2 changes behind' },
      { label: 'Red', value: 'Cook' },
    ],
  })
})
