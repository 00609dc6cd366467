import { insufficientRole, insufficientScope, notFound, readOnly, shutOut, unauthorized } from '../../contract/errors.ts'
import {
  type AccountRole,
  isAccountRole,
  type ProjectRole,
  type ReadOnlyReason,
  type Scope,
  type ShutReason,
  suffices,
} from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Identity, identity, REACHED, reachesAccount, type Who } from './access.ts'
import { shutBy, shutEverywhere } from './shut.ts'

/** Somebody signed in, or a program with their token, and the account or project their request names. */
export interface SessionContext extends Identity {
  operator: boolean
  account_id: number | null
  /** What they are in the account, and in the project if one is named. */
  account_role: AccountRole | null
  project_id: number | null
  project_role: ProjectRole | null
  read_only: ReadOnlyReason | null
  shut: ShutReason | null
  /** Where they name no account: those that they are kept out of for now. */
  shut_account_ids: number[]
}

interface Named {
  /** Looked at first: a token without it learns nothing about what exists. */
  scope: Scope | undefined
  /** The least that they must be in the place; undefined where everybody signed in may. */
  role: AccountRole | ProjectRole | undefined
  /** Undefined when the path names none, null when it names nothing that could exist. */
  account: number | null | undefined
  project: number | null | undefined
}

/** Who visits what, by the same rule as for tokens: what is not theirs is not there. */
export async function authorize(db: Database, who: Who, { scope, role, account, project }: Named): Promise<SessionContext> {
  const nowhere = account === undefined && project === undefined
  const visit = await db.one<SessionContext>(sql`
    select t.*, u.operator, a.id as account_id, a.role as account_role, p.project_id, p.project_role, a.read_only,
      ${nowhere ? shutEverywhere('t') : sql`a.shut`} as shut, ${nowhere ? SHUT_ACCOUNTS : sql`'{}'::integer[]`} as shut_account_ids
    from (${identity(who)}) t
    join users u on u.id = t.user_id
    left join lateral (select * from (${REACHED}) r where r.project_id = ${project ?? null}::integer) p on true
    left join lateral (
      select a.id, m.role, case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only, ${shutBy('t', 'a')} as shut
      from accounts a join account_members m on m.account_id = a.id and m.user_id = t.user_id
      where a.id = coalesce(${account ?? null}::integer, p.account_id)
        and ${reachesAccount(sql`a.id`, sql`a.token_days_max`)}
        and (t.only_project_ids is null or p.project_id is not null)
    ) a on true`)
  if (!visit) throw unauthorized()
  if (scope !== undefined && !visit.scopes.includes(scope)) throw insufficientScope(scope, visit.scopes)
  if (project !== undefined && visit.project_id === null) throw notFound('Project')
  if (account !== undefined && visit.account_id === null) throw notFound('Account')
  if (visit.shut !== null) throw shutOut(visit.shut)
  if (role !== undefined && !suffices(isAccountRole(role) ? visit.account_role : visit.project_role, role))
    throw insufficientRole(role)
  return visit
}

const SHUT_ACCOUNTS = sql`array(
  select m.account_id from account_members m join accounts a on a.id = m.account_id
  where m.user_id = t.user_id and ${shutBy('t', 'a')} is not null)`

/** Everybody visits a demo with the same login: it is neither taken along nor deleted. */
export function refuseIfDemo({ read_only }: SessionContext, site: string) {
  if (read_only === 'demo') throw readOnly(read_only, site)
}

export function refuseIfReadOnly({ read_only }: SessionContext, site: string) {
  if (read_only) throw readOnly(read_only, site)
}
