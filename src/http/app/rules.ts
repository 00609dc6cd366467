import type { ruleRoutes } from '../../contract/app/rules.ts'
import * as rules from '../../domain/investigations/failure-rules.ts'
import { done, type Handlers } from '../routes/call.ts'

/** An account's own failure rules. */
export const ruleHandlers: Handlers<keyof typeof ruleRoutes> = {
  listFailureRules: async ({ db, account_id }) => ({ failure_rules: await rules.list(db, account_id) }),
  createFailureRule: ({ db, account_id, body }) => rules.create(db, account_id, body),
  editFailureRule: ({ db, account_id, path, body }) => rules.edit(db, account_id, path.rule_id, body),
  async removeFailureRule({ db, account_id, path }) {
    await rules.remove(db, account_id, path.rule_id)
    return done
  },
  async tryFailureRule({ db, account_id, body }) {
    const { line, matched, finding } = await rules.tryOut(db, account_id, body.rule, body.log)
    const { clues, category, confidence, diagnosis, suggested_fix, evidence } = finding
    return { line, matched, finding: { rule_id: clues.rule, category, confidence, diagnosis, suggested_fix, evidence } }
  },
}
