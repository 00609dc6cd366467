import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const REPORTS = 20

test('a report about a running build writes no index of its table', async () => {
  const { db } = tools.studio
  const report = (more: object) => tools.ci({ job_name: 'Game Win64', build_number: '1', ...more })
  const updates = async () =>
    (await db.one<{ all: number; hot: number }>(sql`
      select n_tup_upd as all, n_tup_hot_upd as hot from pg_stat_user_tables where relname = 'build_runs'`))!
  await report({ status: 'STARTED' })
  // A second build beside it, which nothing reports on.
  await tools.ci({ job_name: 'Game Win64', build_number: '2', status: 'STARTED' })
  const before = await updates()
  for (let i = 0; i < REPORTS; i++) await report({ status: 'STARTED', phase: `cook ${i}` })
  // PostgreSQL counts late.
  await until(async () => (await updates()).all - before.all >= REPORTS)
  const after = await updates()
  const [all, hot] = [after.all - before.all, after.hot - before.hot]
  // Now and then a page is full.
  expect(hot / all, `${hot} of ${all} updates`).toBeGreaterThan(0.8)
})
