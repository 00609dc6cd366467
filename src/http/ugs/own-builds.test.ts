import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { overlapping, waiting } from '../../../test/support/blocked.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import * as tokens from '../../domain/ugs/tokens.ts'

/** More reports than an integration has transactions at a time. */
const AT_ONCE = 3
/** Its transactions at a time. */
const WRITERS = 2

let tools: Tools
let root: string
let project: number
beforeAll(async () => {
  tools = await openTools({ wideIds: true })
  project = tools.studio.world.projects.star!.id as number
  await report('Before', 1, 'SUCCESS', { changelist: '90', branch: '//Game/Main' })
  root = `/ugs/${(await tokens.create(tools.studio.db, project, 'everybody')).token}/api`
})
afterAll(() => tools.close())
let sequence = 0
beforeEach(async () => {
  sequence = (await poll()).SequenceNumber
})

const report = async (job_name: string, build_number: number, status: string, more: object = {}): Promise<number> => {
  const { json } = await tools.ci({ job_name, build_number, status, ...more })
  return json.records[0].id
}
const poll = async (stream = '//game/main') =>
  (await tools.studio.ask(`${root}/metadata?stream=${stream}&project=shooter&minchange=1&sequence=${sequence}`)).json
const badgesOf = async (stream?: string) =>
  (await poll(stream)).Items.map(({ Change, Project, Badges }: Record<string, unknown>) => ({ Change, Project, Badges }))
const badge = (Name: string, State: number, id: number) => ({
  Name,
  State,
  Url: `https://gold.example/projects/${project}/builds/${id}`,
})

test('a build is a badge of its stream from start to end, and each poll shows its state', async () => {
  const id = await report('Editor Win64', 7, 'STARTED', { changelist: '101', branch: '//Game/Main' })
  expect(await badgesOf()).toEqual([{ Change: 101, Project: '', Badges: [badge('Editor Win64', 0, id)] }])
  sequence = (await poll()).SequenceNumber
  expect(await badgesOf()).toEqual([])
  await report('Editor Win64', 7, 'FAILURE')
  expect(await badgesOf()).toEqual([{ Change: 101, Project: '', Badges: [badge('Editor Win64', 1, id)] }])
  expect(await badgesOf('//game/dev')).toEqual([])
})

test.each([
  ['SUCCESS', 3],
  ['ABORTED', 4],
])('a build that ends with %s has the state %i', async (status, State) => {
  await report(`Ends ${status}`, 1, status, { changelist: '110', branch: '//game/main' })
  expect((await badgesOf())[0].Badges.at(-1)).toMatchObject({ Name: `Ends ${status}`, State })
})

test('a badge shows what the build counts as once its tests say otherwise than the CI', async () => {
  const { db } = tools.studio
  const [green, red] = [
    await report('Green', 1, 'SUCCESS', { changelist: '115', branch: '//game/main' }),
    await report('Red', 1, 'FAILURE', { changelist: '115', branch: '//game/main' }),
  ]
  const states = async () => (await badgesOf())[0].Badges.map(({ Name, State }: { Name: string; State: number }) => [Name, State])
  expect(await states()).toEqual([
    ['Green', 3],
    ['Red', 1],
  ])
  await db.execute(sql`update build_runs set tests_verdict = 'failed' where id = ${green}`)
  await db.execute(sql`update build_runs set tests_verdict = 'passed' where id = ${red}`)
  expect(await states()).toEqual([
    ['Green', 1],
    ['Red', 3],
  ])
})

test('the newest build of a job at a change is its badge, in any order of reports', async () => {
  await report('Nightly', 1, 'STARTED', { changelist: '120', branch: '//game/main' })
  const second = await report('Nightly', 2, 'SUCCESS', { changelist: '120', branch: '//game/main' })
  await report('Nightly', 1, 'FAILURE')
  expect(await badgesOf()).toEqual([{ Change: 120, Project: '', Badges: [badge('Nightly', 3, second)] }])
})

test('a build that turns out to be on another stream moves its badge', async () => {
  const id = await report('Moves', 1, 'STARTED', { changelist: '130', branch: '//game/main' })
  sequence = (await poll()).SequenceNumber
  await report('Moves', 1, 'SUCCESS', { branch: '//game/dev' })
  expect(await badgesOf()).toEqual([{ Change: 130, Project: '', Badges: [] }])
  expect(await badgesOf('//game/dev')).toEqual([{ Change: 130, Project: '', Badges: [badge('Moves', 3, id)] }])
})

test('a build whose stream becomes known with its change gets its badge then', async () => {
  const id = await report('Inferred', 1, 'SUCCESS', { changelist: '140' })
  expect(await badgesOf()).toEqual([])
  await tools.studio.db.execute(sql`update build_runs set inferred_branch = '//game/main' where id = ${id}`)
  expect(await badgesOf()).toEqual([{ Change: 140, Project: '', Badges: [badge('Inferred', 3, id)] }])
})

test('builds of git, without a number, or with an invalid one have no badge', async () => {
  await report('Git', 1, 'SUCCESS', { commit: 'a'.repeat(40), branch: 'main' })
  await report('Odd', 1, 'SUCCESS', { changelist: '150', branch: 'main' })
  await report('Huge', 1, 'SUCCESS', { changelist: '99999999999', branch: '//game/main' })
  await report('Words', 1, 'SUCCESS', { changelist: 'latest', branch: '//game/main' })
  expect(await badgesOf()).toEqual([])
})

test('builds from before the first token are included', async () => {
  sequence = 0
  expect(await badgesOf()).toContainEqual({
    Change: 90,
    Project: '',
    Badges: [expect.objectContaining({ Name: 'Before', State: 3 })],
  })
})

test('a badge that a CI posts replaces ours of the same name, until the next report of the build', async () => {
  const id = await report('Both', 1, 'STARTED', { changelist: '160', branch: '//game/main' })
  const body = { Project: '//game/main', ChangeNumber: 160, BuildType: 'Both', Result: 2, Url: 'https://ci.example.com/1' }
  await tools.studio.ask(`${root}/build`, { method: 'POST', body })
  expect((await badgesOf())[0].Badges).toEqual([{ Name: 'Both', State: 2, Url: 'https://ci.example.com/1' }])
  await report('Both', 1, 'SUCCESS')
  expect((await badgesOf())[0].Badges).toEqual([badge('Both', 3, id)])
})

test('overlapping build reports all become badges, and none is refused', async () => {
  const { account_id } = (await tools.studio.db.one<{ account_id: number }>(
    sql`select account_id from projects where id = ${project}`,
  ))!
  const counter = sql`select from ugs_sequences where account_id = ${account_id} and project_id = ${project} for update`
  const reports = (status: string) =>
    Array.from({ length: AT_ONCE }, async (_, i) => {
      // Those that arrive while the first is being written share no transaction with it.
      if (i > 0) await until(async () => (await waiting(tools.studio.db)) >= 1)
      // Builds with the same number are written one after the other.
      return tools.ci({ job_name: `Crowd ${i}`, build_number: i + 1, status, changelist: '180', branch: '//game/main' })
    })
  for (const status of ['STARTED', 'SUCCESS']) {
    const answers = await overlapping(tools.studio.db, counter, WRITERS, () => reports(status))
    expect(answers.filter((one) => one.status === 'rejected' || one.value.status !== 200)).toEqual([])
  }
  const [{ Badges }] = await badgesOf()
  expect(Badges).toHaveLength(AT_ONCE)
  expect(Badges.every(({ State }: { State: number }) => State === 3)).toBe(true)
})

test('a job name with an address is shown without it', async () => {
  await report('Build for kim@example.com', 1, 'SUCCESS', { changelist: '170', branch: '//game/main' })
  expect(JSON.stringify(await badgesOf())).not.toContain('example.com')
})
