import { ACTIONS } from '../../contract/labels/who-acts.ts'
import { type Sql, sql } from '../../db/database.ts'
import { suspectsWithChanges } from './named-suspect.ts'

const byCategory = (field: 'who_acts' | 'retry_may_help') =>
  JSON.stringify(Object.fromEntries(Object.entries(ACTIONS).map(([category, action]) => [category, action[field]])))
const WHO_ACTS = byCategory('who_acts')
const RETRY = byCategory('retry_may_help')
/** The agent is suspected: another one may pass. */
const MACHINE = sql`coalesce(i.steps @> '[{"name": "agent"}]', false)`

/** The occurrence of a breakage that the build of an investigation `i` belongs to says who is suspected, so that every page says the same. */
const ofOccurrence = (said: Sql) => sql`(
  select ${said} from breakage_builds m
  join breakage_occurrences o on o.account_id = m.account_id and o.breakage_id = m.breakage_id and o.number = m.occurrence
  where m.account_id = i.account_id and m.build_run_id = i.build_run_id)`

/** The build of an investigation `i` counts as passed after all: its tests were quarantined, or passed in another attempt. */
const PASSED = sql`exists (
  select from build_runs x where x.account_id = i.account_id and x.id = i.build_run_id and x.verdict = 'passed')`

/** The current suspects of an investigation `i`: a downstream build failed for another one's cause. */
export const SUSPECTS = sql`case when ${PASSED} then '[]'::jsonb else coalesce(
  ${ofOccurrence(sql`case when m.downstream then '[]' else o.suspects end`)}, i.suspects) end`
const ATTRIBUTED = sql`case when i.status = 'completed' and not ${PASSED} then coalesce(
  ${ofOccurrence(sql`case when m.downstream then 0 else coalesce(o.attributed_user_id, 0) end`)}, i.attributed_user_id) end`

/** The shown fields of an investigation `i`. */
export const INVESTIGATION = sql`
  i.id::text as investigation_id, i.status, i.diagnosis, i.suggested_fix, nullif(${ATTRIBUTED}, 0) as attributed_user_id, i.steps, i.category, i.confidence,
  case when ${MACHINE} then 'machine' else ${WHO_ACTS}::jsonb ->> i.category end as who_acts,
  ${MACHINE} or (${RETRY}::jsonb ->> i.category)::boolean as retry_may_help,
  i.evidence, ${suspectsWithChanges(sql`case when i.status = 'completed' then ${SUSPECTS} else i.suspects end`, sql`i.account_id`)} as suspects, iso(i.created_at) as created_at, iso(i.finished_at) as finished_at`

/** The newest investigation of a build `b` as JSON. */
export const newestInvestigation = sql`(
  select row_to_json(x) from (select ${INVESTIGATION} from investigations i where i.account_id = b.account_id and i.build_run_id = b.id
    order by i.id desc limit 1) x)`
