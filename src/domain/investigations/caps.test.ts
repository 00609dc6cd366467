import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Studio } from '../../../test/support/studio.ts'
import { breakageRoom, brokenLog, openBreakageStudio } from '../../../test/support/studios/breakage-room.ts'
import { sql } from '../../db/database.ts'
import { investigateAgain } from './again.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openBreakageStudio()
})
afterAll(() => studio.close())

test('all builds that a correction is about are investigated again, however many they are', async () => {
  const { project } = await breakageRoom(studio)
  await studio.load({
    build_runs: Array.from({ length: 60 }, (_, at) => ({
      ...{ key: `b${at}`, project, ci_job_name: 'Cook', build_number: String(at), status: 'failed' },
    })),
  })
  const accountId = studio.world.accounts!.owl!.id as number
  const { count } = (await studio.db.transaction(async (db) => {
    await investigateAgain(db, accountId, sql`select id from build_runs where project_id = ${project}`)
    return db.one<{ count: number }>(sql`
      select count(*)::integer as count from investigations i join build_runs b on b.id = i.build_run_id
      where b.project_id = ${project} and i.status = 'pending'`)
  }))!
  expect(count).toBe(60)
})

test('an investigation says how many changes of a long range it did not check', async () => {
  const { project, api, work } = await breakageRoom(studio)
  const key = (at: number) => `d${at}`
  const minute = (at: number) => new Date(Date.UTC(2026, 9, 2) + at * 60_000).toISOString()
  await studio.load({
    changes: Array.from({ length: 220 }, (_, at) => ({
      ...{ key: key(at), project, identifier: key(at), source_type: 'GitCommit', author: 'Kim <kim@example.com>' },
      ...{ timestamp: minute(at), files: [{ path: `src/part${at}.c`, action: 'edit' }], branches: ['main'] },
    })),
  })
  const built = (build_number: string, at: number, more: object) => ({
    ...{ key: build_number, project, ci_job_name: 'Cook', build_number, branch: 'main', commit_hash: key(at) },
    ...{ created_at: minute(300 + at), ...more },
  })
  const { build_runs } = await studio.load({
    build_runs: [
      built('1', 0, { status: 'completed' }),
      built('2', 100, { status: 'failed', output_log: brokenLog('part100') }),
      built('3', 219, { status: 'failed', output_log: brokenLog('part219') }),
    ],
  })
  const rangeSteps = async (number: string) => {
    const path = `/build_runs/${build_runs![number]!.id}`
    await api(`${path}/investigate`, undefined, 'POST')
    await work()
    const { json } = await api(path)
    return json.investigation.steps
      .filter(({ name }: { name: string }) => name === 'range')
      .map(({ detail }: { detail: string }) => detail)
  }
  expect(await rangeSteps('3')).toEqual(['The range has 219 changes: only the newest 200 were checked.'])
  expect(await rangeSteps('2')).toEqual([])
})
