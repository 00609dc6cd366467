import { notFound } from '../../contract/errors.ts'
import type { Breakage } from '../../contract/health-shapes.ts'
import { titleOf } from '../../contract/labels/breakage-title.ts'
import { type BreakageState, CHANGE_SOURCES } from '../../contract/sets.ts'
import { type Database, join, type Sql, sql } from '../../db/database.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'
import { edit } from '../breakages/edit.ts'
import { noteFixedIn } from '../breakages/fixed-in.ts'
import { scrub } from '../privacy/scrub.ts'
import type { UgsChange } from './badges.ts'
import type { UgsAccess } from './tokens.ts'

type Access = Pick<UgsAccess, 'account_id' | 'project_id'>

/** Version control systems with numbered changes: their users are those of Unreal Game Sync. */
const NUMBERED = join(
  Object.entries(CHANGE_SOURCES)
    .filter(([, source]) => source === 'Changelist')
    .map(([provider]) => sql`${provider}`),
)

/** The members of an account by their names in its depots. */
const memberNames = (accountId: number) => sql`
  select m.user_id, lower(a.uid) as name from account_members m join connected_accounts a on a.user_id = m.user_id
  where m.account_id = ${accountId} and a.provider in (${NUMBERED}) and ${COUNTS}`

const memberCalled = async (db: Database, { account_id }: Access, name: string): Promise<number | undefined> =>
  (
    await db.one<{ user_id: number }>(sql`
      select min(user_id) as user_id from (${memberNames(account_id)}) n where n.name = lower(${name}) having count(distinct user_id) = 1`)
  )?.user_id

interface Row {
  id: number
  state: BreakageState
  branch: string | null
  cause: string
  suggested_fix: string
  jobs: string[]
  evidence: Breakage['evidence']
  opened_at: string
  fixed_at: string | null
  claimed_at: string | null
  fix_change: number | null
  owner: string | null
  suspected: boolean
  owned: boolean
}

/** Names are returned only if somebody of that name has sent them from a client. */
const rows = ({ account_id, project_id }: Access, user: string, where: Sql, limit = 1) => sql`
  with names as (${memberNames(account_id)}), me as (select user_id from names where name = lower(${user}))
  select k.id, k.state, k.branch, k.cause, k.suggested_fix, k.jobs, k.evidence, iso(k.opened_at) as opened_at, iso(k.fixed_at) as fixed_at,
    iso(k.claimed_at) as claimed_at, coalesce((select ugs_change_number(c.identifier) from changes c
      where c.account_id = k.account_id and c.id = k.fixed_by_change_id), ugs_change_number(k.fixed_in)) as fix_change,
    (select m.user_name from names n join ugs_user_metadata m on m.account_id = k.account_id and m.project_id = k.project_id and m.user_key = n.name
      where n.user_id = k.owner_user_id order by m.sequence desc limit 1) as owner,
    exists (select from me, jsonb_array_elements(k.suspects) s where (s ->> 'user_id')::integer = me.user_id) as suspected,
    coalesce(k.owner_user_id in (select user_id from me), false) as owned
  from breakages k
  where k.account_id = ${account_id} and k.project_id = ${project_id} and ${where} order by k.opened_at desc, k.id desc limit ${limit}`

interface IssuesAsked {
  user: string
  resolved: boolean
  limit: number
}

/** The open breakages as issues. */
export async function list(db: Database, site: string, access: Access, { user, resolved, limit }: IssuesAsked) {
  const found = await db.rows<Row>(
    rows(access, user, resolved ? sql`k.state <> 'withdrawn'` : sql`k.state not in ('fixed', 'muted', 'withdrawn')`, limit),
  )
  return found.map((row) => issueOf(site, access, row))
}

export async function find(db: Database, site: string, access: Access, id: number | undefined) {
  const row = await db.one<Row>(rows(access, '', sql`k.id = ${id ?? 0}`))
  if (!row) throw notFound('Issue')
  return issueOf(site, access, row)
}

/** A client that gets a null instead of a number loses its whole list, and versions of it spell the flags differently. */
function issueOf(site: string, { project_id }: Access, row: Row) {
  const notify = row.suspected && row.state === 'open'
  return {
    Version: 1,
    Id: row.id,
    CreatedAt: row.opened_at,
    RetrievedAt: new Date().toISOString(),
    Project: String(project_id),
    Summary: scrub(titleOf(row)).slice(0, 200).toWellFormed(),
    Details: scrub([row.cause, row.suggested_fix].filter(Boolean).join('\n')),
    Owner: row.owner,
    NominatedBy: null,
    AcknowledgedAt: row.claimed_at,
    FixChange: row.fix_change ?? 0,
    ResolvedAt: row.fixed_at,
    Notify: notify,
    bNotify: notify,
    BNotify: notify,
    IsWarning: false,
    bIsWarning: false,
    BWarning: false,
    BuildUrl: `${site}/projects/${project_id}/breakages/${row.id}`,
    Streams: row.branch === null ? [] : [row.branch],
  }
}

interface Member {
  id: number
  branch: string
  changelist: string
  job: string
  evidence: { text: string } | null
}

const members = async (db: Database, { account_id, project_id }: Access, id: number | undefined) => {
  const known = await db.one(sql`select from breakages
    where account_id = ${account_id} and project_id = ${project_id} and id = ${id ?? 0}`)
  if (!known) throw notFound('Issue')
  return db.rows<Member>(sql`
    select b.id, build_branch(b.branch, b.inferred_branch) as branch, b.changelist, b.ci_job_name as job,
      (select i.evidence -> 0 from investigations i
        where i.account_id = b.account_id and i.build_run_id = b.id and i.status = 'completed' order by i.id desc limit 1) as evidence
    from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
    where m.account_id = ${account_id} and m.breakage_id = ${id} order by b.id desc limit 100`)
}

const FAILED = 2

export async function builds(db: Database, site: string, access: Access, id: number | undefined) {
  return (await members(db, access, id)).map((build) => {
    const url = `${site}/projects/${access.project_id}/builds/${build.id}`
    return {
      Id: build.id,
      Stream: build.branch,
      Change: /^\d{1,9}$/.test(build.changelist) ? Number(build.changelist) : 0,
      JobName: scrub(build.job),
      JobUrl: url,
      JobStepName: '',
      JobStepUrl: url,
      ErrorUrl: url,
      Outcome: FAILED,
    }
  })
}

export async function diagnostics(db: Database, site: string, access: Access, id: number | undefined) {
  return (await members(db, access, id)).flatMap(({ id, evidence }) =>
    evidence ? [{ BuildId: id, Message: scrub(evidence.text), Url: `${site}/projects/${access.project_id}/builds/${id}` }] : [],
  )
}

interface IssueEdit {
  owner?: string
  nominated_by?: string
  /** Above zero: the fixing change; below: not fixable by a change. */
  fix_change?: number
  resolved?: boolean
}

/** Repeated updates and names of non-members are ignored: clients retry until they get a reply. */
export async function update(db: Database, site: string, access: Access, id: number | undefined, input: IssueEdit) {
  const { state } =
    (await db.one<{ state: BreakageState }>(sql`
    select state from breakages
    where account_id = ${access.account_id} and project_id = ${access.project_id} and id = ${id ?? 0}`)) ?? raise()
  if (state === 'withdrawn') return
  const owner = input.owner === undefined ? undefined : await memberCalled(db, access, input.owner)
  const by = { ...access, user_id: (await memberCalled(db, access, input.nominated_by ?? input.owner ?? '')) ?? null }
  const isFixed = (input.fix_change ?? 0) !== 0 || input.resolved === true
  if (isFixed && state !== 'fixed') await edit(db, by, id, { state: 'fixed' }, site)
  else if (input.resolved === false && state === 'fixed') await edit(db, by, id, { state: 'open' }, site)
  else if (owner !== undefined && state !== 'fixed') await edit(db, by, id, { state: 'claimed', owner_user_id: owner }, site)
  const { fix_change = 0 } = input
  if (fix_change > 0) await noteFixedIn(db, access, id, fix_change)
}

const raise = (): never => {
  throw notFound('Issue')
}

/** A person who investigates from a change on becomes the owner of the breakages there. */
export async function investigate(db: Database, site: string, at: UgsChange, user: string, investigating: boolean) {
  const userId = await memberCalled(db, at, user)
  if (userId === undefined) return
  const broken = await db.one<{ id: number }>(sql`
    select k.id from breakages k left join changes c on c.account_id = k.account_id and c.id = k.first_bad_change_id
    where k.account_id = ${at.account_id} and k.project_id = ${at.project_id} and (k.branch = ${at.path} or ${at.path} like k.branch || '/%')
      and ${investigating ? sql`k.state = 'open' and coalesce(ugs_change_number(c.identifier), 0) <= ${at.change}` : sql`k.state = 'claimed' and k.owner_user_id = ${userId}`}
    order by k.last_seen_at desc, k.id desc limit 1`)
  if (!broken) return
  const by = { account_id: at.account_id, project_id: at.project_id, user_id: userId }
  await edit(db, by, broken.id, investigating ? { state: 'claimed', owner_user_id: userId } : { state: 'open' }, site)
}
