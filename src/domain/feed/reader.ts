import { PlanRefused, unauthorized } from '../../contract/errors.ts'
import { readShortId } from '../../contract/params.ts'
import type { BlockedReason, Plan } from '../../contract/sets.ts'
import { type Database, empty, type Sql, sql } from '../../db/database.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'
import {
  ACCESSIBLE_PROJECTS,
  type Ask,
  accessibleAccounts,
  authorize,
  type Identity,
  identity,
  isValidSession,
  isValidToken,
  requireScope,
} from '../access/access.ts'
import { described, events, type FeedQuery, type FoundRow, named } from './feed.ts'

/** The reader and the account of the feed; the account is null if the caller does not belong to it. */
interface Reader extends Pick<Identity, 'token_id' | 'session_id' | 'user_id' | 'scopes' | 'address'> {
  account_id: number | null
  plan: Plan | null
  timezone: string | null
  /** The projects of the account that they have access to; null: all of them. */
  project_ids: number[] | null
  project_id: number | null
  blocked: BlockedReason | null
}

interface FeedAsk extends Pick<Ask, 'who' | 'scope'> {
  /** As sent: `7`, `acct_7`; undefined takes the caller's default. */
  account: string | undefined
  /** As sent. */
  project: string | undefined
}

/** `7` and `acct_7` are the same account; anything else is never found. */
const readAccount = (raw: string): number => readShortId(raw.startsWith('acct_') ? raw.slice(5) : raw) ?? 0

/** For the account `a` and its member `m`; null for all projects, now and later. */
const seenProjects = (only: Sql): Sql => sql`
  case when ${only} is not null or not (m.role in ('owner', 'admin') or (m.role = 'member' and a.members_see_projects))
  then seen_projects(m.user_id, a.id, ${only}) end`

const reader = ({ who, account, project }: FeedAsk): Sql => sql`
  select t.token_id, t.session_id, t.user_id, t.scopes, t.address, a.account_id, a.plan, a.timezone, a.project_ids, a.blocked,
    ${project === undefined ? sql`null::integer` : sql`p.project_id`} as project_id
  from (${identity(who)}) t
  left join lateral (${accessibleAccounts(
    sql`a.plan, a.timezone, ${seenProjects(sql`t.only_project_ids`)} as project_ids`,
    account === undefined
      ? sql`true order by a.id = (select default_account_id from users where id = t.user_id) desc nulls last, a.id limit 1`
      : sql`a.id = ${readAccount(account)}`,
  )}) a on true
  ${project === undefined ? empty : sql`left join lateral (${ACCESSIBLE_PROJECTS}) p on p.account_id = a.account_id and p.project_id = ${readShortId(project) ?? 0}`}`

interface AdmittedReader extends Reader {
  account_id: number
}

/** Checks the plan too; there is always an account, the default one if none is given. */
export function admitToAccount(
  found: Reader,
  { scope, account = 'default' }: FeedAsk,
  site: string,
): asserts found is AdmittedReader {
  authorize(found, { scope, account })
  if (found.plan === 'free') throw new PlanRefused(site)
}

/** Checks token and scope; `admitToAccount` and then `authorize` check the rest once the parameters are parsed. */
export const findReader = async (db: Database, ask: FeedAsk): Promise<Reader> =>
  admitToken(await db.one<Reader>(reader(ask)), ask)

function admitToken(found: Reader | undefined, { scope }: FeedAsk): Reader {
  if (!found) throw unauthorized()
  requireScope(found, scope)
  return found
}

type Admitted = Pick<Identity, 'token_id' | 'session_id' | 'address'> & { account_id: number }

/**
 * The current access of readers who were authorized earlier, by index in the list; those who lost it are missing: a revoked token, an ended
 * session, a removed member, an address that is no longer allowed, a lower plan.
 */
export async function authorizeAgain(db: Database, readers: readonly Admitted[]): Promise<Map<number, number[] | null>> {
  const found = await db.rows<{ ordinal: number; project_ids: number[] | null }>(sql`
    select l.ordinal, a.project_ids
    from unnest(${readers.map((one) => one.token_id)}::integer[], ${readers.map((one) => one.session_id)}::integer[],
      ${readers.map((one) => one.account_id)}::integer[], ${readers.map((one) => one.address)}::inet[])
      with ordinality l (token_id, session_id, account_id, address, ordinal)
    left join api_tokens k on k.id = l.token_id and ${isValidToken(sql`k`)}
    left join sessions s on s.id = l.session_id and ${isValidSession(sql`s`)}
    cross join lateral (select k.id as token_id, s.id as session_id, l.address, coalesce(k.user_id, s.user_id) as user_id, k.account_id as only_account_id,
      k.project_ids as only_project_ids, k.barred_account_ids, k.created_at as made_at) t
    cross join lateral (${accessibleAccounts(
      sql`${seenProjects(sql`t.only_project_ids`)} as project_ids`,
      sql`a.id = l.account_id and a.plan <> 'free'`,
    )}) a
    where a.blocked is null`)
  return new Map(found.map(({ ordinal, project_ids }) => [ordinal - 1, project_ids]))
}

/** Caller, account, plan and page in one statement, as for lists; the feed sees no account unless the caller may read it. */
export async function readFeed(db: Database, ask: FeedAsk, q: FeedQuery, site: string, replica?: Replica) {
  if (replica || (await db.isDistributed())) return readApart(db, replica, ask, q, site)
  // Joined with the reader instead of looked up in every branch: each lookup costs as much as finding a row.
  const page = sql`
    select e.* from reader r cross join lateral (${events(sql`r.account_id`, sql`r.timezone`, q, { user: sql`r.user_id` })}) e
    where ${ask.scope} = any (r.scopes) and r.plan <> 'free' and ${q.project_id === undefined ? sql`r.project_ids is null` : sql`r.project_id is not null`}`
  const found = await db.one<Reader & { rows: FoundRow[] }>(
    sql`with reader as materialized (${reader(ask)}), page as materialized (${described(page)})
      select reader.*, (select coalesce(json_agg(page), '[]') from page) as rows from reader`,
  )
  const admitted = admitFully(found, ask, site)
  if (isPartial(admitted, q)) return { reader: admitted, rows: (await db.rows<FoundRow>(pageOf(admitted, q))).map(named) }
  return { reader: admitted, rows: found!.rows.map((row) => named({ ...row, at: isoOf(row.at) })) }
}

/** Readers with access to some projects get their page in a second statement, so that the first is not slower for everybody else. */
const isPartial = ({ project_ids }: AdmittedReader, q: FeedQuery) => project_ids !== null && q.project_id === undefined

const pageOf = (reader: AdmittedReader, q: FeedQuery): Sql =>
  described(
    events(sql`${reader.account_id}::integer`, sql`${reader.timezone}::text`, q, {
      projects: isPartial(reader, q) ? reader.project_ids! : undefined,
      user: sql`${reader.user_id}::integer`,
    }),
  )

/** The reader from the primary, the page from the replica, or from the server of the account. */
async function readApart(db: Database, replica: Replica | undefined, ask: FeedAsk, q: FeedQuery, site: string) {
  const found = await db.one<Reader & Positioned>(sql`select reader.*, ${POSITION} as position from (${reader(ask)}) reader`)
  const admitted = admitFully(found, ask, site)
  const read = (db: Database) => db.rows<FoundRow>(pageOf(admitted, q))
  const rows = await (replica ? replica.read(found!.position, read) : read(db))
  return { reader: admitted, rows: rows.map(named) }
}

function admitFully(found: Reader | undefined, ask: FeedAsk, site: string): AdmittedReader {
  const admitted = admitToken(found, ask)
  admitToAccount(admitted, ask, site)
  authorize(admitted, ask)
  return admitted
}

/** Converts the time format of PostgreSQL's JSON, `2026-01-02T03:04:05.6+00:00`, to ours: the function `iso` costs a tenth of the page. */
const isoOf = (written: string) => {
  const [clock, fraction = ''] = written.slice(0, -'+00:00'.length).split('.')
  return `${clock}.${fraction.padEnd(3, '0')}Z`
}
