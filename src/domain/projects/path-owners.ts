import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS, KNOWN_THERE } from '../accounts/connected-accounts.ts'

/** The members who see the project by their confirmed address or name in a tool. A name that several have is nobody's. */
export async function membersCalled(
  db: Database,
  { account_id, project_id }: ProjectKey,
  texts: readonly string[],
): Promise<Map<string, number>> {
  if (texts.length === 0) return new Map()
  const rows = await db.rows<{ text: string; user_ids: number[] }>(sql`
    select w.text, array_agg(distinct m.user_id) as user_ids
    from unnest(${texts}::text[]) w (text)
    join account_members m on m.account_id = ${account_id}
    join project_access p on p.account_id = m.account_id and p.project_id = ${project_id} and p.user_id = m.user_id
    where exists (select from users u where u.id = m.user_id and u.email_verified and lower(u.email) = lower(w.text))
      or exists (select from connected_accounts a where a.user_id = m.user_id and ${KNOWN_THERE} and ${COUNTS}
        and w.text like '@%' and lower(a.uid) = lower(substr(w.text, 2)))
    group by w.text`)
  return new Map(rows.flatMap(({ text, user_ids: [id, ...others] }) => (others.length === 0 ? [[text, id!]] : [])))
}
