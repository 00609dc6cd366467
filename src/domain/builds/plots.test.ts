import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { signIn, type Visitor } from '../../../test/support/visitor.ts'
import { workshop } from '../../../test/support/workshop.ts'
import { type Database, sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const early = new Date().setUTCHours(0, 5, 0, 0)
const ago = (days: number, minutes = 0) => new Date(early - days * 86_400_000 + minutes * 60_000).toISOString()
const day = (days: number) => ago(days).slice(0, 10)
const build = (key: string, status: string, days: number, more: object = {}) => ({
  key,
  project: 'star',
  status,
  created_at: ago(days),
  started_at: ago(days),
  finished_at: ago(days, 2),
  ...more,
})

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
    changes: [{ key: 'c', project: 'star', identifier: 'abc123', source_type: 'GitCommit', timestamp: ago(3) }],
    build_runs: [
      build('shipped', 'completed', 2, { commit_hash: 'abc123' }),
      build('red', 'failed', 1),
      build('again', 'failed', 1),
      build('stopped', 'cancelled', 1),
      build('held', 'passed_pending_approval', 1),
      build('old', 'failed', 40),
      build('elsewhere', 'failed', 1, { project: 'moon' }),
    ],
    deployments: [
      { key: 'd', project: 'star', platform: 'steam', version: '1.1', status: 'live', build_run: 'shipped', live_at: ago(1) },
      { key: 'unbuilt', project: 'star', platform: 'steam', version: '1.0', status: 'live', live_at: ago(2) },
    ],
  })
  await investigate(studio.db, 'red', 'compile_error')
  await investigate(studio.db, 'red', 'compile_error')
  await investigate(studio.db, 'again', 'out_of_disk')
  await investigate(studio.db, 'elsewhere', 'out_of_disk')
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const investigate = (db: Database, key: string, category: string) =>
  db.execute(sql`
    insert into investigations (account_id, build_run_id, status, category)
    values (${studio.world.accounts!.owl!.id}, ${studio.world.build_runs![key]!.id}, 'completed', ${category})`)

const plots = async (days: number) =>
  (await lead.app(`/projects/${studio.world.projects!.star!.id}/plots?days_back=${days}`)).json

describe('the plots of a project', () => {
  test('count builds by day and result, days without any included', async () => {
    const { builds } = await plots(4)
    expect(builds).toEqual([
      { day: day(3), completed: 0, failed: 0, cancelled: 0, waiting: 0 },
      { day: day(2), completed: 1, failed: 0, cancelled: 0, waiting: 0 },
      { day: day(1), completed: 0, failed: 2, cancelled: 1, waiting: 1 },
      { day: day(0), completed: 0, failed: 0, cancelled: 0, waiting: 0 },
    ])
  })

  test('show how long each build took, oldest first, cancelled ones left out', async () => {
    const { durations } = await plots(4)
    expect(durations.map(({ seconds, status }: { seconds: number; status: string }) => [seconds, status])).toEqual([
      [120, 'completed'],
      [120, 'failed'],
      [120, 'failed'],
      [120, 'passed_pending_approval'],
    ])
    expect(durations[0].at).toBe(ago(2, 2))
  })

  test('measure from the change to the moment its build was live, where both are known', async () => {
    const { lead_times } = await plots(4)
    expect(lead_times).toEqual([
      { id: studio.world.deployments!.d!.id, at: ago(1), hours: 48, platform: 'steam', version: '1.1' },
    ])
  })

  test('name each cause with the number of builds it stopped in this project', async () => {
    const { causes } = await plots(4)
    expect(causes).toEqual([
      { category: 'compile_error', count: 1 },
      { category: 'out_of_disk', count: 1 },
    ])
  })

  test('reach as far back as asked', async () => {
    const { builds } = await plots(60)
    expect(builds).toHaveLength(60)
    expect(builds.find((one: { day: string }) => one.day === day(40))).toMatchObject({ failed: 1 })
  })
})
