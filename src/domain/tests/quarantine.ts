import type { TestEdit } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'

/** A quarantine `q` that has not ended. It ends by itself. */
export const IN_QUARANTINE = sql`q.until > goldmaster_now()`

/** What is shown of a quarantine `q`. */
export const QUARANTINE = sql`case when ${IN_QUARANTINE} then json_build_object('until', iso(q.until), 'reason', q.reason,
  'owner_user_id', q.owner_user_id, 'user_id', q.user_id, 'quarantined_at', iso(q.quarantined_at)) end`

/** Nobody remembers why after that. */
const DAYS_MAX = 180

/** Quarantines a test until a time, or releases it. */
export async function quarantine(
  db: Database,
  by: ProjectKey & { user_id: number },
  id: number | undefined,
  { quarantined_until, reason = '', owner_user_id }: TestEdit,
): Promise<void> {
  const { account_id, project_id } = by
  const found = await db.one(sql`
    select from test_cases where account_id = ${account_id} and project_id = ${project_id} and id = ${id ?? 0}`)
  if (!found) throw notFound('Test')
  if (quarantined_until === null) {
    const ended = await db.execute(sql`
      delete from test_quarantines q where q.account_id = ${account_id} and q.test_case_id = ${id!} and ${IN_QUARANTINE}`)
    if (ended === 0) throw invalidParameter('quarantined_until', 'is null already: the test is not in quarantine')
    return
  }
  const { days } = (await db.one<{ days: number }>(sql`
    select extract(epoch from ${quarantined_until}::timestamptz - goldmaster_now())::float8 / 86400 as days`))!
  if (days <= 0 || days > DAYS_MAX)
    throw invalidParameter('quarantined_until', `must be in the future, at most ${DAYS_MAX} days from now`)
  const owner = owner_user_id ?? by.user_id
  const isMember = await db.one(sql`
    select from project_access where account_id = ${account_id} and project_id = ${project_id} and user_id = ${owner}`)
  if (!isMember) throw invalidParameter('owner_user_id', 'must be a member of the account who sees the project')
  await db.execute(sql`
    insert into test_quarantines (account_id, project_id, test_case_id, reason, owner_user_id, user_id, until)
    values (${account_id}, ${project_id}, ${id!}, ${reason}, ${owner}, ${by.user_id}, ${quarantined_until})
    on conflict (account_id, test_case_id) do update set reason = excluded.reason, owner_user_id = excluded.owner_user_id,
      user_id = excluded.user_id, until = excluded.until, quarantined_at = goldmaster_now()`)
}
