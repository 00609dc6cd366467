import { invalidParameter } from '../../contract/errors.ts'
import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'

/** Refuses stages that can't be told apart, and people who can't decide in the project. */
export async function checkRules(db: Database, { account_id, project_id }: ProjectKey, rules: readonly ApprovalRule[] | null) {
  const stages = (rules ?? []).flatMap((rule) => {
    const own = rule.stages ?? []
    if (new Set(own.map(({ name }) => name.trim())).size < own.length)
      throw invalidParameter('approval_rules', 'has a rule with two stages of the same name')
    return own
  })
  const named = [...new Set(stages.flatMap(({ user_ids }) => user_ids))]
  if (named.length === 0) return
  const deciding = await db.rows<{ user_id: number }>(sql`
    select user_id from project_access
    where account_id = ${account_id} and project_id = ${project_id} and project_role in ('lead', 'approver') and user_id = any (${named}::integer[])`)
  const known = new Set(deciding.map(({ user_id }) => user_id))
  const stranger = named.find((id) => !known.has(id))
  if (stranger !== undefined)
    throw invalidParameter('approval_rules', `names user ${stranger} in a stage, who is no approver of the project`)
}
