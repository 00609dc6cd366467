import { insufficientRole, insufficientScope, notFound, shutOut, unauthorized } from '../../contract/errors.ts'
import { type ProjectRole, type ReadOnlyReason, SCOPES, type Scope, type ShutReason, suffices } from '../../contract/sets.ts'
import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { type Listing, type Page, type PageRow, paged, pageOf, readPage } from '../../db/page.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'
import { shutBy, shutEverywhere } from './shut.ts'

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

/** Whether the identity `t` reaches an account of its user: not with a token that is held to another, shut out or too old. */
export const reachesAccount = (account: Sql, tokenDaysMax: Sql): Sql => sql`(t.token_id is null or (
  (t.only_account_id is null or t.only_account_id = ${account}) and not ${account} = any (t.barred_account_ids)
  and (${tokenDaysMax} is null or t.made_at > now() - make_interval(days => ${tokenDaysMax}))))`

/** The projects that the identity `t` reaches, and as what; whether nothing can be written there, and whether they are kept out for now. */
export const REACHED = sql`
  select a.project_id, a.account_id, a.project_role, a.read_only, ${shutBy('t', 'a', 'a.account_id')} as shut
  from project_access a
  where a.user_id = t.user_id and (t.only_project_ids is null or a.project_id = any (t.only_project_ids))
    and ${reachesAccount(sql`a.account_id`, sql`a.token_days_max`)}`

/** Who asks, and through which project; the project fields are null when the caller cannot reach it. */
export interface Caller extends Identity {
  project_id: number | null
  account_id: number | null
  project_role: ProjectRole | null
  read_only: ReadOnlyReason | null
  shut: ShutReason | null
}

export interface Ask {
  who: Who
  scope: Scope
  /** The least that the caller must be in the project. */
  role: ProjectRole
  /** The project named in the path; undefined when the path names none, null when it names nothing that could exist. */
  project: number | null | undefined
}

/** Who asks, and the project if they may see it: a foreign one is simply not there. */
const caller = ({ who, project }: Ask): Sql => sql`
  select t.*, p.project_id, p.account_id, p.project_role, p.read_only, ${project === undefined ? shutEverywhere('t') : sql`p.shut`} as shut
  from (${identity(who)}) t
  left join lateral (${REACHED}) p on p.project_id = ${project ?? null}::integer`

export const findCaller = async (db: Database, ask: Ask): Promise<Caller> => {
  const found = await db.one<Caller>(caller(ask))
  if (!found) throw unauthorized()
  return found
}

/** Whether they still are what they were when they were let in: a condition of the statement that does what they ask for. */
export const stillAdmitted = (ask: Ask, { token_id, project_id, project_role, scopes }: Caller): Sql => sql`exists (
  select from (${caller(ask)}) c where c.token_id = ${token_id}::integer and c.project_id = ${project_id}::integer
    and c.project_role = ${project_role} and c.scopes = ${scopes}::text[] and c.shut is null and c.read_only is null)`

/** Nothing was done: whoever asks is not what they were. */
export class NoLongerAdmitted extends Error {}

/** As much of a caller as it takes to let them in, and to note that they came. */
const ADMITTED = ['token_id', 'scopes', 'project_id', 'account_id', 'project_role', 'shut'] as const satisfies (keyof Caller)[]
type Admitted = Pick<Caller, (typeof ADMITTED)[number]>

/** Scope first, then the project: a token without the scope learns nothing about what exists. */
export function admit(found: Admitted, { scope, role, project }: Ask): void {
  if (!found.scopes.includes(scope)) throw insufficientScope(scope, found.scopes)
  if (project !== undefined && found.project_id === null) throw notFound('Project')
  if (found.shut !== null) throw shutOut(found.shut)
  if (project === undefined) return
  if (!suffices(found.project_role, role)) throw insufficientRole(role)
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
  admit(found, ask)
  return { caller: found, page: pageOf(found) }
}

/** Who asks is always the primary's to say; only the page may come from the replica. */
async function readApart(db: Database, replica: Replica, ask: Ask, listing: (project: Sql) => Listing) {
  const found = await db.one<Caller & Positioned>(sql`select caller.*, ${POSITION} as position from (${caller(ask)}) caller`)
  if (!found) throw unauthorized()
  admit(found, ask)
  const asked = listing(sql`${found.project_id}::integer`)
  return { caller: found, page: await replica.read(found.position, (db) => readPage(db, asked)) }
}
