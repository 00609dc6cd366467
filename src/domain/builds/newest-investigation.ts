import { sql } from '../../db/database.ts'

/** The shown fields of an investigation `i`. */
export const INVESTIGATION = sql`
  i.id::text as investigation_id, i.status, i.diagnosis, i.suggested_fix, i.attributed_user_id, i.steps, i.category, i.confidence,
  i.evidence, i.suspects, iso(i.created_at) as created_at, iso(i.finished_at) as finished_at`

/** The newest investigation of a build `b` as JSON. */
export const newestInvestigation = sql`(
  select row_to_json(x) from (select ${INVESTIGATION} from investigations i where i.account_id = b.account_id and i.build_run_id = b.id
    order by i.id desc limit 1) x)`
