import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { sql } from '../../db/database.ts'

/** Two filters that each match many records but rarely together: pages end early, and following the cursor returns all of them in order. */

const ROWS = 1_700
let studio: Studio
const { id, inside } = visitor(() => studio)

beforeAll(async () => {
  studio = await openStudio(workshop)
  const owner = sql`select account_id, id as project_id from projects where id = ${Number(id('projects', 'star'))}`
  await studio.db.execute(sql`
    insert into tasks (account_id, project_id, title, labels, assignee_handle, created_at)
    select account_id, project_id, 'Task ' || n, array['many'], case when n % 600 = 1 then 'agent' end,
      timestamptz '2026-03-01' + n / 3 * interval '1 minute'
    from (${owner}) p, generate_series(1, ${ROWS}::integer) n`)
  await studio.db.execute(sql`
    insert into build_runs (account_id, project_id, ci_job_name, build_number, status, branch, created_at, finished_at)
    select account_id, project_id, 'night', n::text, case when n % 600 = 1 then 'failed' else 'completed' end, 'main',
      timestamptz '2026-03-01' + n / 3 * interval '1 minute', timestamptz '2026-03-01' + n / 3 * interval '1 minute'
    from (${owner}) p, generate_series(1, ${ROWS}::integer) n`)
})
afterAll(() => studio.close())

async function walk(path: string, key: string): Promise<{ rows: Record<string, string>[]; short: number }> {
  const rows: Record<string, string>[] = []
  let short = 0
  for (let cursor = ''; ; ) {
    const { json, text } = await inside(`/${path}&limit=2${cursor}`)
    expect(json.pagination, text).toBeDefined()
    rows.push(...json[key])
    if (json.pagination.has_more && json[key].length < 2) short++
    if (!json.pagination.has_more) return { rows, short }
    cursor = `&cursor=${json.pagination.next_cursor}`
  }
}

describe('a page ends early and returns a cursor', () => {
  test('for a label and an assignee', async () => {
    const { rows, short } = await walk('tasks?label=many&assignee=handle:agent', 'tasks')
    expect(rows.map(({ title }) => title)).toEqual(['Task 1201', 'Task 601', 'Task 1'])
    expect(short).toBeGreaterThan(0)
  })

  test.each([
    ['a job and a status', 'search/build_runs?job=night&status=failed'],
    ['a branch and a status', 'search/build_runs?branch=main&status=failed'],
    ['a time and a status', 'search/build_runs?finished_since=2026-01-01&status=failed'],
  ])('for %s', async (_, path) => {
    const { rows, short } = await walk(path, 'build_runs')
    expect(rows.map(({ build_number }) => build_number)).toEqual(['1201', '601', '1'])
    expect(short).toBeGreaterThan(0)
  })
})

test('filters with a closed set fill their page at once together', async () => {
  const { rows, short } = await walk('search/build_runs?status=failed&build_type=custom&target_type=development', 'build_runs')
  expect(rows.map(({ build_number }) => build_number)).toEqual(['1201', '601', '1'])
  expect(short).toBe(0)
})

test('a search by branch also accepts updated_since', async () => {
  expect((await inside('/search/changes?branch=main&updated_since=2020-01-01')).status).toBe(200)
})
