import { invalidParameter } from '../../contract/errors.ts'
import { type MeasureBudget, NO_BUDGET, type WrittenBudget } from '../../contract/routes/measure-budgets.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, empty, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { unmatched } from '../branches/branch-patterns.ts'
import { scheduleMeasures } from '../builds/follow-up-jobs.ts'
import { openAlerts } from './alerts.ts'

/** The budgets of a project and the measures that are over theirs. */
export async function list(db: Database, project: ProjectKey): Promise<ReplyOf<'listMeasureBudgets'>> {
  const budgets = (await budgetsOf(db, project)) ?? []
  const branches = budgets.map(({ branch }) => branch).filter(Boolean)
  return { budgets, unmatched_patterns: await unmatched(db, project, branches), ...(await openAlerts(db, project)) }
}

/** Undefined: there is no such project. `lock`: until the transaction ends. */
export async function budgetsOf(
  db: Database,
  { account_id, project_id }: ProjectKey,
  lock = empty,
): Promise<MeasureBudget[] | undefined> {
  const project = await db.one<{ budgets: Partial<MeasureBudget>[] }>(sql`
    select measure_budgets as budgets from projects
    where account_id = ${account_id} and id = ${project_id} and deleted_at is null ${lock}`)
  return project?.budgets.map((budget) => ({ ...NO_BUDGET, measure: '', ...budget }))
}

export const store = (db: Database, { account_id, project_id }: ProjectKey, budgets: readonly MeasureBudget[]) =>
  db.execute(sql`
    update projects set measure_budgets = ${JSON.stringify(budgets)}::jsonb, updated_at = now()
    where account_id = ${account_id} and id = ${project_id}`)

export async function set(db: Database, project: ProjectKey, written: readonly WrittenBudget[]) {
  const budgets = written.map((budget): MeasureBudget => ({ ...NO_BUDGET, ...budget }))
  budgets.forEach((budget, at) => {
    const name = `budgets[${at}]`
    if (budget.max_value === null && budget.max_growth === null)
      throw invalidParameter(name, 'must have max_value, max_growth or both')
    if (budget.max_growth === null && (budget.store !== '' || budget.track !== ''))
      throw invalidParameter(name, 'has a track without max_growth')
  })
  await db.transaction(async (db) => {
    await store(db, project, budgets)
    await scheduleMeasures(db, project)
  })
  return { budgets }
}
