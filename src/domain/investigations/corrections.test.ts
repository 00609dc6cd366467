import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { workOff } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { run } from './run-investigation.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())
const user = (key: string) => studio.world.users![key]!.id as number

const LOG = (build: number) => `Starting the editor
Editor: seat ${build} is not available for this floating client
Build step failed
Exit code ${build}
`

async function room() {
  const made = await breakageRoom(studio)
  const work = async () => {
    await made.work()
    // The corrected build first, then the others of its breakage.
    for (const _ of [1, 2]) await workOff(studio, 'investigate')
    await made.work()
  }
  const failed = async (number: number, log = LOG(number)) => {
    const build = await made.report({ number, log })
    await work()
    return build
  }
  const correct = (build: number, body: object) => made.api(`/build_runs/${build}/correction`, body)
  const finding = async (build: number) => (await made.api(`/build_runs/${build}`)).json.investigation
  const open = async () => (await made.breakages()).filter(({ state }) => state === 'open')
  return { ...made, work, failed, correct, finding, open }
}

test('a corrected line and category hold for the build, its breakage and later builds', async () => {
  const { failed, correct, finding, work, open } = await room()
  const [first, second] = [await failed(10), await failed(11)]
  const made = await correct(first, { line: 2, category: 'license_seat' })
  expect(made).toMatchObject({
    status: 200,
    json: {
      build_run_id: String(first),
      line: 2,
      line_text: expect.stringContaining('seat 10'),
      user_id: user('kim'),
      cause: null,
    },
  })
  await work()
  const third = await failed(12)
  for (const build of [first, second, third])
    expect(await finding(build)).toMatchObject({ category: 'license_seat', confidence: 'high', evidence: [{ line: 2 }] })
  expect(await open()).toMatchObject([{ category: 'license_seat', build_count: 3 }])
})

test('an undone correction gives the builds their own finding back', async () => {
  const { failed, correct, finding, work, api } = await room()
  const [first, second] = [await failed(10), await failed(11)]
  const before = await finding(second)
  const { id } = (await correct(first, { category: 'network', cause: 'The switch was unplugged.' })).json
  await work()
  expect(await finding(second)).toMatchObject({ category: 'network', diagnosis: 'The switch was unplugged.' })
  expect((await api(`/corrections/${id}/undo`, undefined, 'POST')).json).toMatchObject({ id, category: 'network' })
  await work()
  for (const build of [first, second]) expect(await finding(build)).toMatchObject({ category: before.category })
  expect((await finding(second)).diagnosis).toBe(before.diagnosis)
  expect((await api('/corrections')).json.corrections).toEqual([])
  expect((await api(`/corrections/${id}/undo`, undefined, 'POST')).status).toBe(200)
  expect((await api('/corrections/999999/undo', undefined, 'POST')).status).toBe(404)
})

test('a correction after an undo has only what is given then', async () => {
  const { failed, correct, api } = await room()
  const build = await failed(10)
  const { id } = (await correct(build, { line: 2, category: 'license_seat' })).json
  await api(`/corrections/${id}/undo`, undefined, 'POST')
  expect((await correct(build, { cause: 'No seat was left.' })).json).toMatchObject({
    id,
    line: null,
    line_text: null,
    category: null,
  })
})

test('a cleared change is no longer suspected, and its author no longer named', async () => {
  const { failed, correct, finding, work, only, change } = await room()
  const build = await failed(5, brokenLog('part5'))
  expect((await finding(build)).suspects[0]).toMatchObject({ change_id: change(5), user_id: user('ann') })
  await correct(build, { cleared_change_ids: [change(5)] })
  await work()
  const found = await finding(build)
  expect(found.attributed_user_id).toBeNull()
  expect(found.suspects.map(({ change_id }: { change_id: number }) => change_id)).not.toContain(change(5))
  expect((await only()).suspects.map(({ change_id }) => change_id)).not.toContain(change(5))
  // A later build of the same failure does not bring the suspicion back.
  const later = await failed(6, brokenLog('part5'))
  expect((await finding(later)).suspects.map(({ change_id }: { change_id: number }) => change_id)).not.toContain(change(5))
  expect((await only()).suspects.map(({ change_id }) => change_id)).not.toContain(change(5))
})

test('a second correction of a build keeps what it does not mention', async () => {
  const { failed, correct } = await room()
  const build = await failed(10)
  await correct(build, { line: 2, category: 'license_seat' })
  expect((await correct(build, { cause: 'No seat was left.' })).json).toMatchObject({
    line: 2,
    category: 'license_seat',
    cause: 'No seat was left.',
  })
})

test('a correction is refused for a passed build, a missing line, a foreign change and an empty body', async () => {
  const { failed, report, correct, api } = await room()
  const build = await failed(10)
  const passed = await report({ number: 12, status: 'success' })
  const other = await room()
  for (const [id, body, status] of [
    [passed, { category: 'network' }, 422],
    [build, { line: 99 }, 422],
    [build, { line: 5 }, 422],
    [build, { cleared_change_ids: [other.change(1)] }, 422],
    [build, {}, 422],
    [build, { category: 'none' }, 422],
    [build, { cause: '  ' }, 422],
    [999_999_999, { category: 'network' }, 404],
  ] as const)
    expect([body, (await correct(id, body)).status]).toEqual([body, status])
  expect((await other.api(`/build_runs/${build}/correction`, { category: 'network' })).status).toBe(404)
  expect((await api('/corrections')).json.corrections).toEqual([])
})

test('the list shows the correction that applies to a build', async () => {
  const { failed, correct, work, api } = await room()
  const [first, second] = [await failed(10), await failed(11)]
  const { id } = (await correct(first, { category: 'network' })).json
  await work()
  const other = await failed(20, brokenLog('part20'))
  const of = async (build: number) => (await api(`/corrections?build_run_id=${build}`)).json.corrections
  expect(await of(second)).toMatchObject([{ id, build_run_id: String(first) }])
  expect(await of(other)).toEqual([])
})

test('a correction during an investigation is not lost', async () => {
  const { report, correct, finding, project, work } = await room()
  const build = await report({ number: 10, log: LOG(10) })
  const { id } = (await studio.db.one<{ id: number }>(sql`
    insert into investigations (account_id, build_run_id, automatic)
    select account_id, id, true from build_runs where project_id = ${project} and id = ${build} returning id`))!
  // The service calls the explainer after it makes the finding and before it stores it.
  const account_id = studio.world.accounts!.owl!.id as number
  await studio.db.execute(sql`update accounts set uses_language_model = true where id = ${account_id}`)
  let asked = 0
  await run(studio.db, { account_id, id }, async () => {
    asked++
    expect((await correct(build, { category: 'network' })).status).toBe(200)
    return { line: 1, diagnosis: 'Something else', suggested_fix: '' }
  })
  // The corrected finding is not explained by anybody else.
  expect(asked).toBe(1)
  expect(await finding(build)).toMatchObject({ status: 'completed', category: 'network' })
  expect((await finding(build)).diagnosis).not.toBe('Something else')
  await work()
})

test('a member who may only read cannot correct anything', async () => {
  const { failed, project } = await room()
  const build = await failed(10)
  const made = await studio.load({
    tokens: [{ key: 'reader', user: user('kim'), name: 'reader', scopes: ['read:builds', 'write:builds'] }],
  })
  const answer = await studio.ask(`/api/v1/projects/${project}/build_runs/${build}/correction`, {
    method: 'PATCH',
    token: made.tokens!.reader!.token as string,
    body: { category: 'network' },
  })
  expect([answer.status, answer.json.required_scope]).toEqual([403, 'write:breakages'])
})
