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
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { type Listing, type Page, type PageRow, paged, pageOf, readPage } from '../../db/page.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'
import { blockedBy, blockedEverywhere } from './blocked.ts'

/**
 * What a request shows to say who asks: the hash of an API token, or the secret of a browser's session; and from where, as far as that is
 * known.
 */
export type Who = ({ hash: Buffer } | { session: string }) & { address: string | null }

/** Whoever it is: one of the two ids is null. */
export interface Identity {
  token_id: number | null
  session_id: number | null
  user_id: number
  scopes: string[]
  /** What a token is held to; null: nothing. */
  only_account_id: number | null
  only_project_ids: number[] | null
  barred_account_ids: number[] | null
  /** When a token was made: accounts may refuse old ones. */
  made_at: string | null
  /** From where they ask: accounts may refuse some. */
  address: string | null
}

/** Revoked and expired ones are simply not there. */
export const livingToken = (t: Sql): Sql => sql`${t}.revoked_at is null and (${t}.expires_at is null or ${t}.expires_at > now())`
export const livingSession = (s: Sql): Sql => sql`${s}.expires_at > now()`

/** A person signed in may do whatever a token could be allowed to do. */
export const identity = (who: Who): Sql =>
  'hash' in who
    ? sql`
        select t.id as token_id, null::integer as session_id, t.user_id, t.scopes, t.account_id as only_account_id,
          t.project_ids as only_project_ids, t.barred_account_ids, t.created_at as made_at, ${who.address}::inet as address from api_tokens t
        where t.hash = ${who.hash} and ${livingToken(sql`t`)}`
    : sql`
        select null::integer as token_id, s.id as session_id, s.user_id, ${[...SCOPES]}::text[] as scopes, null::integer as only_account_id,
          null::integer[] as only_project_ids, null::integer[] as barred_account_ids, null::timestamptz as made_at,
          ${who.address}::inet as address from sessions s
        where s.token = ${who.session} and ${livingSession(sql`s`)}`

/** The same of somebody who was admitted already. */
export const known = (by: Identity): Sql => sql`
  select ${by.token_id}::integer as token_id, ${by.session_id}::integer as session_id, ${by.user_id}::integer as user_id, ${by.only_account_id}::integer as only_account_id,
    ${by.only_project_ids}::integer[] as only_project_ids, ${by.barred_account_ids}::integer[] as barred_account_ids, ${by.made_at}::timestamptz as made_at,
    ${by.address}::inet as address`

/** Whether the identity `t` reaches an account of its user: not with a token that is held to another, barred or too old. */
const reachesAccount = (account: Sql, tokenDaysMax: Sql): Sql => sql`(t.token_id is null or (
  (t.only_account_id is null or t.only_account_id = ${account}) and not ${account} = any (t.barred_account_ids)
  and (${tokenDaysMax} is null or t.made_at > now() - make_interval(days => ${tokenDaysMax}))))`

/** The projects that the identity `t` reaches, with its roles; whether nothing can be written there, and why it is blocked for now. */
export const REACHED = sql`
  select a.project_id, a.account_id, a.account_role, a.project_role, a.read_only, ${blockedBy('t', 'a', 'a.account_id')} as blocked
  from project_access a
  where a.user_id = t.user_id and (t.only_project_ids is null or a.project_id = any (t.only_project_ids))
    and ${reachesAccount(sql`a.account_id`, sql`a.token_days_max`)}`

/** The accounts that the identity `t` reaches: `columns` of the account `a` and of its member `m`. */
export const reachedAccounts = (columns: Sql, which: Sql): Sql => sql`
  select a.id as account_id, ${columns}, ${blockedBy('t', 'a')} as blocked
  from accounts a join account_members m on m.account_id = a.id and m.user_id = t.user_id
  where ${reachesAccount(sql`a.id`, sql`a.token_days_max`)} and ${which}`

/** Who asks, and the account or project that their request names; its fields are null when the caller cannot reach it. */
export interface Caller extends Identity {
  project_id: number | null
  account_id: number | null
  project_role: ProjectRole | null
  account_role: AccountRole | null
  read_only: ReadOnlyReason | null
  blocked: BlockedReason | null
  /** Runs the service. False where a project is named, and of tokens. */
  operator: boolean
  /** Of a session that names neither account nor project: the accounts that are blocked for it. */
  blocked_account_ids: number[]
}

export interface Ask {
  who: Who
  /** Undefined where no token may ask. */
  scope: Scope | undefined
  /** The least that the caller must be in the account or project; undefined where everybody signed in may. */
  role: AccountRole | ProjectRole | undefined
  /** What the path names; undefined when it names none, null when it names nothing that could exist. */
  account?: number | null | undefined
  project?: number | null | undefined
}

/** Who asks, and what the path names if they may see it: what is not theirs is simply not there. */
const caller = ({ who, account, project }: Ask): Sql => {
  const isSession = 'session' in who
  const isNamed = account !== undefined || project !== undefined
  return sql`
    select t.*, p.*, ${isSession && project === undefined ? OPERATOR : sql`false`} as operator,
      ${isSession && !isNamed ? BLOCKED_ACCOUNTS : sql`'{}'::integer[]`} as blocked_account_ids
    from (${identity(who)}) t
    left join lateral (${project !== undefined ? REACHED : account !== undefined ? REACHED_ACCOUNTS : NOTHING_NAMED}) p
      on ${project !== undefined ? sql`p.project_id = ${project}::integer` : account !== undefined ? sql`p.account_id = ${account}::integer` : sql`true`}`
}

const REACHED_ACCOUNTS = reachedAccounts(
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

/** Finds who asks and refuses them unless they may. */
export async function admit(db: Database, ask: Ask): Promise<Caller> {
  const found = await findCaller(db, ask)
  authorize(found, ask)
  return found
}

/** Whether they still are what they were when they were let in: a condition of the statement that does what they ask for. */
export const stillAdmitted = (ask: Ask, { token_id, project_id, project_role, scopes }: Caller): Sql => sql`exists (
  select from (${caller(ask)}) c where c.token_id = ${token_id}::integer and c.project_id = ${project_id}::integer
    and c.project_role = ${project_role} and c.scopes = ${scopes}::text[] and c.blocked is null and c.read_only is null)`

/** Nothing was done: whoever asks is not what they were. */
export class NoLongerAdmitted extends Error {}

/** As much of a caller as it takes to let them in, and to note that they came. */
const ADMITTED = ['token_id', 'scopes', 'project_id', 'account_id', 'project_role', 'blocked'] as const satisfies (keyof Caller)[]
type Admitted = Pick<Caller, (typeof ADMITTED)[number]>

type Found = Pick<Caller, 'scopes' | 'project_id' | 'account_id' | 'blocked'> &
  Partial<Pick<Caller, 'project_role' | 'account_role'>>
/** Of an ask: what is needed. Account and project count when they are named, however they are. */
interface Needed extends Partial<Pick<Ask, 'scope' | 'role'>> {
  account?: unknown
  project?: unknown
}

/** Scope, then project and account, then whether they are blocked, then the role: a token without the scope learns nothing about what exists. */
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

/** A demo is shared by all its visitors: nobody exports or deletes it. */
export function refuseIfDemo({ read_only }: Pick<Caller, 'read_only'>, site: string) {
  if (read_only === 'demo') throw readOnly(read_only, site)
}

export function refuseIfReadOnly({ read_only }: Pick<Caller, 'read_only'>, site: string) {
  if (read_only) throw readOnly(read_only, site)
}

/**
 * Token, scope, project and list in one statement: a separate look at the token would cost a quarter of the requests,
 * and caching it would let a revoked one live on. The list sees no project unless the caller may read it.
 */
export async function readListing(
  db: Database,
  ask: Ask,
  listing: (project: Sql) => Listing,
  replica?: Replica,
): Promise<{ caller: Admitted; page: Page }> {
  if (replica) return readApart(db, replica, ask, listing)
  const asked = listing(sql`case when ${ask.scope} = any (caller.scopes) then caller.project_id end`)
  const found = await db.one<Admitted & PageRow>(
    sql`select ${raw(ADMITTED.map((column) => `caller.${column}`).join(', '))}, page.* from (${caller(ask)}) caller, lateral (${paged(asked)}) page`,
    asked,
  )
  if (!found) throw unauthorized()
  authorize(found, ask)
  return { caller: found, page: pageOf(found) }
}

/** Who asks is always the primary's to say; only the page may come from the replica. */
async function readApart(db: Database, replica: Replica, ask: Ask, listing: (project: Sql) => Listing) {
  const found = await db.one<Caller & Positioned>(sql`select caller.*, ${POSITION} as position from (${caller(ask)}) caller`)
  if (!found) throw unauthorized()
  authorize(found, ask)
  const asked = listing(sql`${found.project_id}::integer`)
  return { caller: found, page: await replica.read(found.position, (db) => readPage(db, asked)) }
}
