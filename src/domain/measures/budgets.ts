import { invalidParameter } from '../../contract/errors.ts'
import type { MeasureBudget } from '../../contract/routes/measure-budgets.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { unmatched } from '../branches/branch-patterns.ts'
import { scheduleMeasures } from '../builds/follow-up-jobs.ts'
import { openAlerts } from './alerts.ts'

/** The budgets of a project and the measures that are over theirs. */
export async function list(db: Database, project: ProjectKey): Promise<ReplyOf<'listMeasureBudgets'>> {
  const found = await db.one<{ budgets: MeasureBudget[] }>(sql`
    select measure_budgets as budgets from projects where account_id = ${project.account_id} and id = ${project.project_id}`)
  const budgets = found?.budgets ?? []
  const branches = budgets.map(({ branch }) => branch).filter(Boolean)
  return { budgets, unmatched_patterns: await unmatched(db, project, branches), alerts: await openAlerts(db, project) }
}

export async function set(db: Database, project: ProjectKey, budgets: readonly MeasureBudget[]) {
  budgets.forEach((budget, at) => {
    const name = `budgets[${at}]`
    if (budget.max_value === null && budget.max_growth === null)
      throw invalidParameter(name, 'must have max_value, max_growth or both')
    if (budget.max_growth === null && (budget.store !== '' || budget.track !== ''))
      throw invalidParameter(name, 'has a track without max_growth')
  })
  await db.transaction(async (db) => {
    await db.execute(sql`
      update projects set measure_budgets = ${JSON.stringify(budgets)}::jsonb, updated_at = now()
      where account_id = ${project.account_id} and id = ${project.project_id}`)
    await scheduleMeasures(db, project)
  })
  return { budgets: [...budgets] }
}
