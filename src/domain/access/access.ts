import { accessBlocked, insufficientRole, insufficientScope, notFound, readOnly, unauthorized } from '../../contract/errors.ts'
import {
  type AccountRole,
  type BlockedReason,
  isAccountRole,
  type ProjectRole,
  type ReadOnlyReason,
  SCOPES,
  type Scope,
  suffices,
} from '../../contract/sets.ts'
import { type Database, ofAccount, raw, type Sql, sql } from '../../db/database.ts'
import { type Listing, type Page, type PageRow, paged, pageOf, readPage } from '../../db/page.ts'
import type { ProjectSql } from '../../db/project-key.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'
import { blockedBy, blockedEverywhere } from './blocked.ts'

/** The credential of a request: the hash of an API token or the secret of a browser session, and the client's address if known. */
export type Who = ({ hash: Buffer } | { session: string }) & { address: string | null }

/** The authenticated caller: one of the two ids is null. */
export interface Identity {
  token_id: number | null
  session_id: number | null
  user_id: number
  scopes: string[]
  /** What a token is limited to; null: no limit. */
  only_account_id: number | null
  only_project_ids: number[] | null
  barred_account_ids: number[] | null
  /** When a token was created: accounts may refuse old ones. */
  made_at: string | null
  /** The client's address: accounts may refuse some. */
  address: string | null
}

/** Excludes revoked and expired tokens. */
export const isValidToken = (t: Sql): Sql => sql`${t}.revoked_at is null and (${t}.expires_at is null or ${t}.expires_at > now())`
export const isValidSession = (s: Sql): Sql => sql`${s}.expires_at > now()`

/** A session has every scope that a token could have. */
export const identity = (who: Who): Sql =>
  'hash' in who
    ? sql`
        select t.id as token_id, null::integer as session_id, t.user_id, t.scopes, t.account_id as only_account_id,
          t.project_ids as only_project_ids, t.barred_account_ids, t.created_at as made_at, ${who.address}::inet as address from api_tokens t
        where t.hash = ${who.hash} and ${isValidToken(sql`t`)}`
    : sql`
        select null::integer as token_id, s.id as session_id, s.user_id, ${[...SCOPES]}::text[] as scopes, null::integer as only_account_id,
          null::integer[] as only_project_ids, null::integer[] as barred_account_ids, null::timestamptz as made_at,
          ${who.address}::inet as address from sessions s
        where s.token = ${who.session} and ${isValidSession(sql`s`)}`

/** The same for a caller who is already authenticated. */
export const known = (by: Identity): Sql => sql`
  select ${by.token_id}::integer as token_id, ${by.session_id}::integer as session_id, ${by.user_id}::integer as user_id, ${by.only_account_id}::integer as only_account_id,
    ${by.only_project_ids}::integer[] as only_project_ids, ${by.barred_account_ids}::integer[] as barred_account_ids, ${by.made_at}::timestamptz as made_at,
    ${by.address}::inet as address`

/**
 * Whether the identity `t` has access to an account of its user: not with a token that is limited to another account, barred or too old.
 */
const mayAccessAccount = (account: Sql, tokenDaysMax: Sql): Sql => sql`(t.token_id is null or (
  (t.only_account_id is null or t.only_account_id = ${account}) and not ${account} = any (t.barred_account_ids)
  and (${tokenDaysMax} is null or t.made_at > now() - make_interval(days => ${tokenDaysMax}))))`

/** The projects that the identity `t` can access, with its roles, whether they are read-only and why they are blocked for now. */
export const ACCESSIBLE_PROJECTS = sql`
  select a.project_id, a.account_id, a.account_role, a.project_role, a.read_only, ${blockedBy('t', 'a', 'a.account_id')} as blocked
  from project_access a
  where a.user_id = t.user_id and (t.only_project_ids is null or a.project_id = any (t.only_project_ids))
    and ${mayAccessAccount(sql`a.account_id`, sql`a.token_days_max`)}`

/** The accounts that the identity `t` can access: `columns` of the account `a` and of its member `m`. */
export const accessibleAccounts = (columns: Sql, which: Sql): Sql => sql`
  select a.id as account_id, ${columns}, ${blockedBy('t', 'a')} as blocked
  from accounts a join account_members m on m.account_id = a.id and m.user_id = t.user_id
  where ${mayAccessAccount(sql`a.id`, sql`a.token_days_max`)} and ${which}`

/** The caller, and the account or project of the request; its fields are null when the caller has no access to it. */
export interface Caller extends Identity {
  project_id: number | null
  account_id: number | null
  project_role: ProjectRole | null
  account_role: AccountRole | null
  read_only: ReadOnlyReason | null
  blocked: BlockedReason | null
  /** Is an operator of the service. False for tokens and for requests that name a project. */
  operator: boolean
  /** For a session that names neither account nor project: the accounts that are blocked for it. */
  blocked_account_ids: number[]
}

export interface Ask {
  who: Who
  /** Undefined if tokens are not accepted. */
  scope: Scope | undefined
  /** The role that the caller needs in the account or project; undefined if every signed-in user may. */
  role: AccountRole | ProjectRole | undefined
  /** The account of the path; undefined if the path has none, null if its id cannot exist. */
  account?: number | null | undefined
  project?: number | null | undefined
}

/** The caller, and the account or project of the path if they have access to it: everything else is not found. */
const caller = ({ who, account, project }: Ask): Sql => {
  const isSession = 'session' in who
  const isNamed = account !== undefined || project !== undefined
  return sql`
    select t.*, p.*, ${isSession && project === undefined ? OPERATOR : sql`false`} as operator,
      ${isSession && !isNamed ? BLOCKED_ACCOUNTS : sql`'{}'::integer[]`} as blocked_account_ids
    from (${identity(who)}) t
    left join lateral (${project !== undefined ? ACCESSIBLE_PROJECTS : account !== undefined ? ACCESSIBLE_ACCOUNTS : NOTHING_NAMED}) p
      on ${project !== undefined ? sql`p.project_id = ${project}::integer` : account !== undefined ? sql`p.account_id = ${account}::integer` : sql`true`}`
}

const ACCESSIBLE_ACCOUNTS = accessibleAccounts(
  sql`null::integer as project_id, m.role as account_role, null::text as project_role,
    case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only`,
  sql`t.only_project_ids is null`,
)

const NOTHING_NAMED = sql`
  select null::integer as project_id, null::integer as account_id, null::text as account_role, null::text as project_role,
    null::text as read_only, ${blockedEverywhere('t')} as blocked`

const OPERATOR = sql`(select operator from users where id = t.user_id)`

const BLOCKED_ACCOUNTS = sql`array(
  select m.account_id from account_members m join accounts a on a.id = m.account_id
  where m.user_id = t.user_id and ${blockedBy('t', 'a')} is not null)`

export const findCaller = async (db: Database, ask: Ask): Promise<Caller> => {
  const found = await db.one<Caller>(caller(ask))
  if (!found) throw unauthorized()
  return found
}

/** Authenticates the caller and refuses them unless they are authorized. */
export async function admit(db: Database, ask: Ask): Promise<Caller> {
  const found = await findCaller(db, ask)
  authorize(found, ask)
  return found
}

/** Whether the caller still has the rights they were authorized with: a condition of the statement that does the work. */
export const stillAdmitted = (ask: Ask, { token_id, project_id, project_role, scopes }: Caller): Sql => sql`exists (
  select from (${caller(ask)}) c where c.token_id = ${token_id}::integer and c.project_id = ${project_id}::integer
    and c.project_role = ${project_role} and c.scopes = ${scopes}::text[] and c.blocked is null and c.read_only is null)`

/** Nothing was written: the caller lost the rights they were authorized with. */
export class NoLongerAdmitted extends Error {}

/** The fields of a caller that are needed to authorize them and to note the time of last use. */
const ADMITTED = ['token_id', 'scopes', 'project_id', 'account_id', 'project_role', 'blocked'] as const satisfies (keyof Caller)[]
type Admitted = Pick<Caller, (typeof ADMITTED)[number]>

type Found = Pick<Caller, 'scopes' | 'project_id' | 'account_id' | 'blocked'> &
  Partial<Pick<Caller, 'project_role' | 'account_role'>>
/** What a request needs. Account and project are checked if they are present, in whatever form. */
interface Needed extends Partial<Pick<Ask, 'scope' | 'role'>> {
  account?: unknown
  project?: unknown
}

/** Checks scope, then project and account, then blocks, then the role: a token without the scope learns nothing about what exists. */
export function authorize(found: Found, { scope, role, account, project }: Needed): void {
  requireScope(found, scope)
  if (project !== undefined && found.project_id === null) throw notFound('Project')
  if (account !== undefined && found.account_id === null) throw notFound('Account')
  if (found.blocked !== null) throw accessBlocked(found.blocked)
  if (role === undefined) return
  const held = isAccountRole(role) ? found.account_role : found.project_role
  if (!suffices(held ?? null, role)) throw insufficientRole(role)
}

export function requireScope({ scopes }: Pick<Caller, 'scopes'>, scope: Scope | undefined): void {
  if (scope !== undefined && !scopes.includes(scope)) throw insufficientScope(scope, scopes)
}

/** A demo is shared by all its visitors: nobody can export or delete it. */
export function refuseIfDemo({ read_only }: Pick<Caller, 'read_only'>, site: string) {
  if (read_only === 'demo') throw readOnly(read_only, site)
}

export function refuseIfReadOnly({ read_only }: Pick<Caller, 'read_only'>, site: string) {
  if (read_only) throw readOnly(read_only, site)
}

/**
 * Token, scope, project and list in one statement: a separate token lookup would cost a quarter of the throughput, and caching it would
 * keep a revoked token alive. The list sees no project unless the caller may read it.
 */
export async function readListing(
  db: Database,
  ask: Ask,
  listing: (project: ProjectSql) => Listing,
  replica?: Replica,
): Promise<{ caller: Admitted; page: Page }> {
  if (replica || (await db.isDistributed())) return readApart(db, replica, ask, listing)
  const seen = (column: Sql) => sql`case when ${ask.scope} = any (caller.scopes) then caller.${column} end`
  const asked = listing({ account_id: seen(sql`account_id`), project_id: seen(sql`project_id`) })
  const found = await db.one<Admitted & PageRow>(
    sql`select ${raw(ADMITTED.map((column) => `caller.${column}`).join(', '))}, page.* from (${caller(ask)}) caller, lateral (${paged(asked)}) page`,
    asked,
  )
  if (!found) throw unauthorized()
  authorize(found, ask)
  return { caller: found, page: pageOf(found) }
}

/** The caller is always looked up on the primary; only the page may come from the replica, or from the server of the account. */
async function readApart(db: Database, replica: Replica | undefined, ask: Ask, listing: (project: ProjectSql) => Listing) {
  const found = await db.one<Caller & Positioned>(sql`select caller.*, ${POSITION} as position from (${caller(ask)}) caller`)
  if (!found) throw unauthorized()
  authorize(found, ask)
  const asked = listing({ account_id: sql`${found.account_id}::integer`, project_id: sql`${found.project_id}::integer` })
  const read = (db: Database) => readPage(ofAccount(db, found.account_id), asked)
  return { caller: found, page: await (replica ? replica.read(found.position, read) : read(db)) }
}
