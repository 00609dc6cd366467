import { type Database, sql } from '../../../src/db/database.ts'
import type { Loaded } from '../../../src/world/loaded.ts'

/** The keys of the tests, by project. */
const KEYS: Record<string, string> = {
  star: 'test4',
  moon: 'moon-test4',
  fox: 'fox-test4',
  demo: 'demo-test',
  lapsed: 'lapsed-test',
}

/** One test without runs for every project of `night-owl.ts`. */
export async function addTests(db: Database, world: Loaded): Promise<Record<string, { id: number }>> {
  const added: Record<string, { id: number }> = {}
  for (const [project, { id }] of Object.entries(world.projects)) {
    const key = KEYS[project]
    if (key === undefined) continue
    const found = await db.one<{ id: number }>(sql`
      with owner as (select account_id, id from projects where id = ${id}),
        report as (
          insert into test_reports (account_id, project_id, ci_job_name, name, platform, rhi, cases)
          select account_id, id, 'Tests', '', '', '', 1 from owner returning account_id, project_id, id)
      insert into test_cases (account_id, project_id, test_report_id, number, identity, suite, class, name, occurrence)
      select account_id, project_id, id, 0, 1, 'Ai', 'Ai', 'walks past someone@example.com', 1 from report returning id`)
    added[key] = found!
  }
  return added
}
