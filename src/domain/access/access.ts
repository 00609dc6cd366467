import { insufficientScope, notFound, unauthorized } from '../../contract/errors.ts'
import { type ReadOnlyReason, SCOPES, type Scope } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { type Listing, type Page, type PageRow, paged, pageOf, readPage } from '../../db/page.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'

/** What a request shows to say who asks: the hash of an API token, or the secret of a browser's session. */
export type Who = { hash: Buffer } | { session: string }

/** Whoever it is: one of the two ids is null. */
export interface Identity {
  token_id: number | null
  session_id: number | null
  user_id: number
  scopes: string[]
}

/** Revoked and expired ones are simply not there. A person signed in may do whatever a token could be allowed to do. */
export const identity = (who: Who): Sql =>
  'hash' in who
    ? sql`
        select t.id as token_id, null::integer as session_id, t.user_id, t.scopes from api_tokens t
        where t.hash = ${who.hash} and t.revoked_at is null and (t.expires_at is null or t.expires_at > now())`
    : sql`
        select null::integer as token_id, s.id as session_id, s.user_id, ${[...SCOPES]}::text[] as scopes from sessions s
        where s.token = ${who.session} and s.expires_at > now()`

/** Who asks, and through which project; the project fields are null when the caller cannot reach it. */
export interface Caller extends Identity {
  project_id: number | null
  account_id: number | null
  read_only: ReadOnlyReason | null
}

export interface Ask {
  who: Who
  scope: Scope
  /** The project named in the path; undefined when the path names none, null when it names nothing that could exist. */
  project: number | null | undefined
}

/** Who asks, and the project if they may see it: a foreign one is simply not there. */
const caller = ({ who, project }: Ask): Sql => sql`
  select t.*, p.id as project_id, p.account_id, p.read_only
  from (${identity(who)}) t
  left join lateral (
    select p.id, p.account_id, case when a.demo then 'demo' when a.swept_at is not null then 'trial_expired' end as read_only
    from projects p
    join accounts a on a.id = p.account_id
    join account_members m on m.account_id = p.account_id and m.user_id = t.user_id
    where p.id = ${project ?? null}::integer
  ) p on true`

export const findCaller = async (db: Database, ask: Ask): Promise<Caller> => {
  const found = await db.one<Caller>(caller(ask))
  if (!found) throw unauthorized()
  return found
}

/** Scope first, then the project: a token without the scope learns nothing about what exists. */
export function admit(found: Caller, { scope, project }: Ask): void {
  if (!found.scopes.includes(scope)) throw insufficientScope(scope, found.scopes)
  if (project !== undefined && found.project_id === null) throw notFound('Project')
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
): Promise<{ caller: Caller; page: Page }> {
  if (replica) return readApart(db, replica, ask, listing)
  const asked = listing(sql`case when ${ask.scope} = any (caller.scopes) then caller.project_id end`)
  const found = await db.one<Caller & PageRow>(
    sql`select caller.*, page.* from (${caller(ask)}) caller, lateral (${paged(asked)}) page`,
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
