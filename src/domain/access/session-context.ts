import { insufficientScope, notFound, readOnly, unauthorized } from '../../contract/errors.ts'
import type { ReadOnlyReason, Scope } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Identity, identity, type Who } from './access.ts'

/** Somebody signed in, or a program with their token, and the account or project their request names. */
export interface SessionContext extends Identity {
  operator: boolean
  account_id: number | null
  project_id: number | null
  /** Owns the account, or the project if one is named. */
  owner: boolean
  read_only: ReadOnlyReason | null
}

interface Named {
  /** Looked at first: a token without it learns nothing about what exists. */
  scope: Scope | undefined
  /** Undefined when the path names none, null when it names nothing that could exist. */
  account: number | null | undefined
  project: number | null | undefined
}

/** Who visits what, by the same rule as for tokens: what is not theirs is not there. */
export async function authorize(db: Database, who: Who, { scope, account, project }: Named): Promise<SessionContext> {
  const visit = await db.one<SessionContext>(sql`
    select t.token_id, t.session_id, t.user_id, t.scopes, u.operator, a.id as account_id, p.id as project_id,
      coalesce(a.role = 'owner' or pm.role = 'owner', false) as owner, a.read_only
    from (${identity(who)}) t
    join users u on u.id = t.user_id
    left join projects p on p.id = ${project ?? null}::integer
      and exists (select from account_members m where m.account_id = p.account_id and m.user_id = t.user_id)
    left join lateral (
      select a.id, m.role, case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only
      from accounts a join account_members m on m.account_id = a.id and m.user_id = t.user_id
      where a.id = coalesce(${account ?? null}::integer, p.account_id)
    ) a on true
    left join project_members pm on pm.project_id = p.id and pm.user_id = t.user_id`)
  if (!visit) throw unauthorized()
  if (scope !== undefined && !visit.scopes.includes(scope)) throw insufficientScope(scope, visit.scopes)
  if (project !== undefined && visit.project_id === null) throw notFound('Project')
  if (account !== undefined && visit.account_id === null) throw notFound('Account')
  return visit
}

export function refuseIfReadOnly({ read_only }: SessionContext, site: string) {
  if (read_only) throw readOnly(read_only, site)
}
