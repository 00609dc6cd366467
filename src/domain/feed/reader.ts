import { insufficientScope, notFound, PlanRefused, unauthorized } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import type { Plan } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { POSITION, type Positioned, type Replica } from '../../db/replica.ts'
import { type Ask, type Identity, identity } from '../access/access.ts'
import { described, events, type FeedQuery, type FoundRow, named } from './feed.ts'

/** Who reads the feed of which account; the account is null when the caller does not belong to it. */
interface Reader extends Identity {
  account_id: number | null
  plan: Plan | null
  timezone: string | null
  project_id: number | null
}

interface FeedAsk extends Pick<Ask, 'who' | 'scope'> {
  /** As sent: `7`, `acct_7`; undefined takes the caller's default. */
  account: string | undefined
  /** As sent. */
  project: string | undefined
}

/** `7` and `acct_7` name the same account; what names none could never be found. */
const readAccount = (raw: string): number => readId(raw.startsWith('acct_') ? raw.slice(5) : raw) ?? 0

const reader = ({ who, account, project }: FeedAsk): Sql => sql`
  select t.*, a.id as account_id, a.plan, a.timezone, p.id as project_id
  from (${identity(who)}) t
  left join lateral (
    select a.id, a.plan, a.timezone from accounts a
    join account_members m on m.account_id = a.id and m.user_id = t.user_id
    where ${
      account === undefined
        ? sql`true order by a.id = (select default_account_id from users where id = t.user_id) desc nulls last, a.id limit 1`
        : sql`a.id = ${readAccount(account)}`
    }
  ) a on true
  left join projects p on p.account_id = a.id and p.id = ${project === undefined ? null : (readId(project) ?? 0)}::integer`

/** Token and scope; the rest is judged by `admitToAccount` and `admitToProject` once parameters are known by name. */
function admitToken(found: Reader | undefined, { scope }: FeedAsk): Reader {
  if (!found) throw unauthorized()
  if (!found.scopes.includes(scope)) throw insufficientScope(scope, found.scopes)
  return found
}

interface AdmittedReader extends Reader {
  account_id: number
}

export function admitToAccount(found: Reader, site: string): asserts found is AdmittedReader {
  if (found.account_id === null) throw notFound('Account')
  if (found.plan === 'free') throw new PlanRefused(site)
}

export function admitToProject(found: Reader, { project }: FeedAsk) {
  if (project !== undefined && found.project_id === null) throw notFound('Project')
}

export const findReader = async (db: Database, ask: FeedAsk): Promise<Reader> =>
  admitToken(await db.one<Reader>(reader(ask)), ask)

/** Caller, account, plan and page in one statement, as for lists; the feed sees no account unless the caller may read it. */
export async function readFeed(db: Database, ask: FeedAsk, q: FeedQuery, site: string, replica?: Replica) {
  if (replica) return readApart(db, replica, ask, q, site)
  // Beside the reader rather than with a look at them in every branch: each such look costs as much as finding a row.
  const page = sql`
    select e.* from reader r cross join lateral (${events(sql`r.account_id`, sql`r.timezone`, q)}) e
    where ${ask.scope} = any (r.scopes) and r.plan <> 'free'`
  const found = await db.one<Reader & { rows: FoundRow[] }>(
    sql`with reader as materialized (${reader(ask)}), page as materialized (${described(page)})
      select reader.*, (select coalesce(json_agg(page), '[]') from page) as rows from reader`,
  )
  const admitted = admitFully(found, ask, site)
  return { reader: admitted, rows: found!.rows.map((row) => named({ ...row, at: isoOf(row.at) })) }
}

/** The reader from the primary, the page from the replica. */
async function readApart(db: Database, replica: Replica, ask: FeedAsk, q: FeedQuery, site: string) {
  const found = await db.one<Reader & Positioned>(sql`select reader.*, ${POSITION} as position from (${reader(ask)}) reader`)
  const admitted = admitFully(found, ask, site)
  const page = described(events(sql`${admitted.account_id}::integer`, sql`${admitted.timezone}::text`, q))
  const rows = await replica.read(found!.position, (db) => db.rows<FoundRow>(page))
  return { reader: admitted, rows: rows.map(named) }
}

function admitFully(found: Reader | undefined, ask: FeedAsk, site: string): AdmittedReader {
  const admitted = admitToken(found, ask)
  admitToAccount(admitted, site)
  admitToProject(admitted, ask)
  return admitted
}

/** A time as PostgreSQL writes it into JSON, `2026-01-02T03:04:05.6+00:00`, as we do: the function `iso` costs a tenth of the page. */
const isoOf = (written: string) => {
  const [clock, fraction = ''] = written.slice(0, -'+00:00'.length).split('.')
  return `${clock}.${fraction.padEnd(3, '0')}Z`
}
