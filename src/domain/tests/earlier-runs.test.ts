import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

test('a build is compared with the run before it on the branch, in whatever order the reports arrive', async () => {
  const { report, tests, api } = await breakageRoom(studio)
  const built = async (number: number, message: string) => {
    const build = String(await report({ number, status: message === '' ? 'success' : 'failed' }))
    await tests({ number }, { 'part5.walks': message })
    return build
  }
  const shown = async (build: string) => (await api(`/build_runs/${build}/tests`)).json
  const first = await built(2, '')
  const third = await built(6, '')
  const second = await built(4, 'speed is 0')
  const fourth = await built(8, 'speed is 0')
  const before = async (build: string) => (await shown(build)).reports[0].compared_with_build_run_id
  expect(await before(first)).toBeNull()
  expect([await before(second), await before(third), await before(fourth)]).toEqual([first, second, third])
  expect(await shown(second)).toMatchObject({ new_failures: 1, still_failing: 0 })
  expect((await shown(third)).fixed).toMatchObject([{ name: 'walks' }])
  expect(await shown(fourth)).toMatchObject({ new_failures: 1, still_failing: 0 })
})

test('a build is not compared with a preflight or a bisecting build', async () => {
  const { report, tests, api, project } = await breakageRoom(studio)
  const [passed, bisecting, preflight, failed] = [2, 3, 4, 6]
  const ids = new Map<number, number>()
  for (const number of [passed, bisecting, preflight, failed]) {
    ids.set(number, await report({ number, status: number === passed ? 'success' : 'failed' }))
    await tests({ number }, { 'part5.walks': number === passed ? '' : 'speed is 0' })
  }
  for (const [number, kind] of [
    [bisecting, 'bisect'],
    [preflight, 'preflight'],
  ] as const)
    await studio.db.execute(sql`update build_runs set kind = ${kind} where project_id = ${project} and id = ${ids.get(number)!}`)
  const { json } = await api(`/build_runs/${ids.get(failed)}/tests`)
  expect(json).toMatchObject({ new_failures: 1, reports: [{ compared_with_build_run_id: String(ids.get(passed)) }] })
})

test('a test that the run before left out is compared with the last run that had it', async () => {
  const { report, tests, api } = await breakageRoom(studio)
  await report({ number: 2 })
  await tests({ number: 2 }, { 'part5.walks': 'speed is 0', 'part9.jumps': '' })
  await report({ number: 3, status: 'success' })
  await tests({ number: 3 }, { 'part8.sinks': '' })
  const build = await report({ number: 4 })
  await tests({ number: 4 }, { 'part5.walks': 'speed is 0', 'part9.jumps': 'fell' })
  const { failures } = (await api(`/build_runs/${build}/tests`)).json
  expect(failures).toMatchObject([
    { name: 'jumps', state: 'new' },
    { name: 'walks', state: 'still_failing' },
  ])
})
