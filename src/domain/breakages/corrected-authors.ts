import { type Database, type Pool, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import type { Jobs } from '../../db/queue.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { writersOf } from '../changes/writers.ts'
import { recompute } from './recompute.ts'

/** Older breakages get the right author too, but nobody is notified: it would be of no use any more. */
const TOLD_AGAIN = sql`(${UNSETTLED} or k.last_seen_at > goldmaster_now() - interval '14 days')`

/** Edits the messages about alerts of budgets. */
type Revise = (db: Database, accountId: number, alerts: readonly string[]) => Promise<unknown>

/** Who wrote a change, as far as it is known now. */
interface Author {
  change_id: number
  user_id: number | null
}

/**
 * Runs after a name in a tool was confirmed as this member's, or rejected. Suspects are stored with their authors, so they are rewritten.
 * Messages about them are edited, automatic assignments end, and people who were named wrongly get an inbox entry.
 */
export async function correctAuthors(db: Pool, { account_id, user_id }: Jobs['correct_authors'], reviseBudgets: Revise) {
  const named = sql`s ->> 'user_id' = ${String(user_id)}`
  const changes = await db.rows<ProjectKey & { change_id: number }>(sql`
    select c.account_id, c.project_id, c.id as change_id from changes c where c.account_id = ${account_id} and c.id in (
      select (s ->> 'change_id')::bigint from investigations i, jsonb_array_elements(i.suspects) s
        where i.account_id = ${account_id} and i.suspects @> ${naming(user_id)} and ${named}
      union select (s ->> 'change_id')::bigint from breakage_occurrences o, jsonb_array_elements(o.suspects) s
        where o.account_id = ${account_id} and o.suspects @> ${naming(user_id)} and ${named}
      union select (s ->> 'change_id')::bigint from breakages k, jsonb_array_elements(k.suspects) s
        where k.account_id = ${account_id} and k.suspects @> ${naming(user_id)} and ${named}
      union select (s ->> 'change_id')::bigint
        from projects p join breakages k on k.account_id = p.account_id and k.project_id = p.id, jsonb_array_elements(k.suspects) s
        where p.account_id = ${account_id} and ${UNSETTLED} and s -> 'user_id' = 'null'
      union select a.change_id from measure_alerts a where a.account_id = ${account_id} and a.user_id = ${user_id}
      union select a.change_id from measure_alerts a where a.account_id = ${account_id} and a.state = 'open' and a.user_id is null)
    order by c.project_id, c.id`)
  for (const project_id of new Set(changes.map((change) => change.project_id))) {
    const ids = changes.filter((change) => change.project_id === project_id).map(({ change_id }) => change_id)
    const writers = await writersOf(db, { account_id, project_id }, ids)
    const authors = ids.map((change_id) => ({ change_id, user_id: writers.get(change_id)!.user_id }))
    await correctIn(db, { account_id, project_id }, authors, reviseBudgets)
  }
}

async function correctIn(db: Pool, { account_id, project_id }: ProjectKey, authors: readonly Author[], reviseBudgets: Revise) {
  await rewrite(db, sql`investigations`, account_id, authors)
  const breakages = await db.rows<RecordKey & { is_told_again: boolean }>(sql`
    select k.account_id, k.id, ${TOLD_AGAIN} as is_told_again from breakages k
    where k.account_id = ${account_id} and k.project_id = ${project_id} and ${suspecting(sql`k.suspects`, authors)}
      and ${differs(sql`k.suspects`, authors)} order by k.id`)
  for (const { is_told_again, ...breakage } of breakages)
    await db.transaction(async (db) => {
      await lockBreakages(db, project_id)
      if (is_told_again) await recompute(db, breakage)
      await db.execute(sql`
        update breakages k set suspects = ${withAuthors(sql`k.suspects`, authors)}
        where k.account_id = ${account_id} and k.id = ${breakage.id} and ${differs(sql`k.suspects`, authors)}`)
    })
  await rewrite(db, sql`breakage_occurrences`, account_id, authors)
  await db.transaction(async (db) => {
    const alerts = await db.rows<{ id: string }>(sql`
      update measure_alerts m set user_id = a.user_id from ${recordset(authors)}
      where m.account_id = ${account_id} and m.project_id = ${project_id} and m.change_id = a.change_id and m.user_id is distinct from a.user_id
      returning m.id::text`)
    await reviseBudgets(
      db,
      account_id,
      alerts.map(({ id }) => id),
    )
  })
}

/** Whoever is named without being the author of a suspect any more is not named. */
const rewrite = (db: Database, table: Sql, accountId: number, authors: readonly Author[]) =>
  db.execute(sql`
    update ${table} w set suspects = ${withAuthors(sql`w.suspects`, authors)},
      attributed_user_id = (select (s ->> 'user_id')::integer from jsonb_array_elements(${withAuthors(sql`w.suspects`, authors)}) s
        where (s ->> 'user_id')::integer = w.attributed_user_id limit 1)
    where w.account_id = ${accountId} and ${suspecting(sql`w.suspects`, authors)} and ${differs(sql`w.suspects`, authors)}`)

const naming = (userId: number) => sql`${JSON.stringify([{ user_id: userId }])}::jsonb`

/** Rows that suspect one of these changes, by the index of the suspects. */
const suspecting = (suspects: Sql, authors: readonly Author[]) =>
  sql`${suspects} @> any (${authors.map(({ change_id }) => JSON.stringify([{ change_id }]))}::jsonb[])`

const recordset = (authors: readonly Author[]) =>
  sql`json_to_recordset(${JSON.stringify(authors)}::json) a (change_id bigint, user_id integer)`

/** Whether one of the suspects has another author. */
const differs = (suspects: Sql, authors: readonly Author[]) => sql`exists (
  select from jsonb_array_elements(${suspects}) s join ${recordset(authors)} on a.change_id = (s ->> 'change_id')::bigint
  where (s ->> 'user_id')::integer is distinct from a.user_id)`

const withAuthors = (suspects: Sql, authors: readonly Author[]) => sql`(
  select jsonb_agg(case when a.change_id is null then s.value else s.value || jsonb_build_object('user_id', a.user_id) end order by s.ordinality)
  from jsonb_array_elements(${suspects}) with ordinality s left join ${recordset(authors)} on a.change_id = (s.value ->> 'change_id')::bigint)`
