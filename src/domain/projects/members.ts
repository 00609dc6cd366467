import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { looksLikeAddress } from '../privacy/addresses.ts'

type Reply = ReplyOf<'listMembers'>

const MEMBERS_MAX = 200
const HANDLES_MAX = 200

/** Ids and roles only: names and addresses are not returned. */
export async function list(db: Database, { account_id, project_id }: ProjectKey): Promise<Reply> {
  const members = await db.rows<Reply['members'][number]>(sql`
    select pm.user_id, case pm.project_role when 'lead' then 'owner' else 'member' end as role, pm.project_role,
      (select coalesce(json_agg(json_build_object('id', a.id, 'provider', a.provider, 'uid', a.uid) order by a.id), '[]')
        from connected_accounts a where a.user_id = pm.user_id and ${COUNTS}) as connected_accounts
    from project_members pm
    left join account_members m on m.account_id = pm.account_id and m.user_id = pm.user_id
    where pm.account_id = ${account_id} and pm.project_id = ${project_id}
    order by pm.user_id limit ${MEMBERS_MAX + 1}`)
  return {
    members: members.slice(0, MEMBERS_MAX).map((member) => ({
      ...member,
      connected_accounts: member.connected_accounts.map(({ uid, ...rest }) =>
        uid === undefined || looksLikeAddress(uid) ? rest : { ...rest, uid },
      ),
    })),
    assignee_handles: await handles(db, { account_id, project_id }),
    truncated: members.length > MEMBERS_MAX,
  }
}

/** Every known handle: a loose index scan instead of reading all tasks. */
const handles = async (db: Database, { account_id, project_id }: ProjectKey) =>
  (
    await db.rows<{ handle: string }>(sql`
      with recursive seen as (
        select min(assignee_handle) as handle from tasks
        where account_id = ${account_id} and project_id = ${project_id} and deleted_at is null and assignee_handle is not null
        union all
        select (select min(assignee_handle) from tasks
          where account_id = ${account_id} and project_id = ${project_id} and deleted_at is null and assignee_handle is not null and assignee_handle > seen.handle)
        from seen where seen.handle is not null
      )
      select handle from seen where handle is not null limit ${HANDLES_MAX}`)
  )
    .map((row) => row.handle)
    // By code point, whatever the database's collation.
    .sort()
