import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { type BreakageRoom, breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

/** Failed builds of these changes that only an import reported. */
async function importFailures({ project }: BreakageRoom, numbers: readonly number[], more: object = {}) {
  const { build_runs } = await studio.load({
    build_runs: numbers.map((number) => ({
      ...{
        key: `imported ${number}`,
        project,
        ci_job_name: 'Cook',
        build_number: `i${number}`,
        branch: 'main',
        commit_hash: `c${number}`,
      },
      ...{ status: 'failed', created_at: new Date().toISOString(), ...more },
    })),
  })
  const ids = Object.values(build_runs!).map(({ id }) => String(id))
  await studio.db.execute(sql`
    with made as (
      insert into imports (account_id, project_id, integration_id, state, since, until)
      select account_id, project_id, id, 'done', now(), now() from integrations where project_id = ${project} returning account_id, id)
    update build_runs b set import_id = made.id from made where b.account_id = made.account_id and b.id = any (${ids}::bigint[])`)
}

test('a live failure has failed since the first imported failure after the last pass', async () => {
  const room = await breakageRoom(studio)
  const { report, work, only, change, breakages } = room
  await report({ number: 4, status: 'success' })
  await importFailures(room, [3, 6, 7])
  await importFailures(room, [5], { key: 'other job', ci_job_name: 'Package' })
  await importFailures(room, [5], { key: 'other platform', platform: 'PS5' })
  await work()
  expect(await breakages()).toEqual([])
  await report({ number: 9, log: brokenLog('part6') })
  await work()
  const found = await only()
  expect([found.last_good_change!.id, found.first_bad_change!.id]).toEqual([change(4), change(6)])
  expect(found.suspects.map(({ change_id }) => change_id)).toContain(change(6))
  expect(found.suspects.map(({ change_id }) => change_id)).not.toContain(change(9))
})

test('an import of failures widens the range of an open breakage, and nobody is named only because they are left in it', async () => {
  const room = await breakageRoom(studio)
  const { report, work, only, change, api } = room
  await report({ number: 4, status: 'success' })
  await report({ number: 9, log: brokenLog('part8') })
  await work()
  expect((await only()).first_bad_change!.id).toBe(change(9))
  await importFailures(room, [5])
  await report({ number: 10, log: brokenLog('part8') })
  await work()
  const found = await only()
  expect([found.last_good_change!.id, found.first_bad_change!.id]).toEqual([change(4), change(5)])
  const { json } = await api(`/build_runs/${found.builds[0]!.id}`)
  expect(json.investigation.attributed_user_id).toBeNull()
})
