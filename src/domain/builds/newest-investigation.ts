import { ACTIONS } from '../../contract/labels/who-acts.ts'
import { sql } from '../../db/database.ts'

const byCategory = (field: 'who_acts' | 'retry_may_help') =>
  JSON.stringify(Object.fromEntries(Object.entries(ACTIONS).map(([category, action]) => [category, action[field]])))
const WHO_ACTS = byCategory('who_acts')
const RETRY = byCategory('retry_may_help')
/** The agent is suspected: another one may pass. */
const MACHINE = sql`coalesce(i.steps @> '[{"name": "agent"}]', false)`

/** The shown fields of an investigation `i`. */
export const INVESTIGATION = sql`
  i.id::text as investigation_id, i.status, i.diagnosis, i.suggested_fix, i.attributed_user_id, i.steps, i.category, i.confidence,
  case when ${MACHINE} then 'machine' else ${WHO_ACTS}::jsonb ->> i.category end as who_acts,
  ${MACHINE} or (${RETRY}::jsonb ->> i.category)::boolean as retry_may_help,
  i.evidence, i.suspects, iso(i.created_at) as created_at, iso(i.finished_at) as finished_at`

/** The newest investigation of a build `b` as JSON. */
export const newestInvestigation = sql`(
  select row_to_json(x) from (select ${INVESTIGATION} from investigations i where i.account_id = b.account_id and i.build_run_id = b.id
    order by i.id desc limit 1) x)`
