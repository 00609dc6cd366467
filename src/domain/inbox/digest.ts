import { DIGEST_HOUR } from '../../contract/channels.ts'
import type { Breakage } from '../../contract/health-shapes.ts'
import { titleOf } from '../../contract/labels/breakage-title.ts'
import { type Database, empty, ofAccount, type Pool, type Sql, sql } from '../../db/database.ts'
import { byAccount, oneByOne } from '../accounts/isolation.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { WENT_LIVE } from '../deployments/live.ts'
import * as mails from '../mail/mails.ts'
import { scrub } from '../privacy/scrub.ts'
import type { Vault } from '../privacy/secrets.ts'
import { type DigestProject, digest } from './inbox-mails.ts'
import { unsubscribeUrl } from './unsubscribe.ts'

const LINES_MAX = 10

interface Reader {
  id: number
  /** The default account; 0 without one. */
  account_id: number
  since: string
}

/** Sends the daily email to everybody whose morning it is, if anything happened. */
export async function sendDigests({ db, vault, site }: { db: Pool; vault: Vault; site: string }) {
  const readers = byAccount(await db.rows<Reader>(due(sql``)))
  await oneByOne(db, 'send_digests', [...readers.keys()], async (account) => {
    const failures: unknown[] = []
    // One person's digest holds up nobody else's.
    for (const { id } of readers.get(account)!)
      await sendDigest(db, { vault, site }, id).catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  })
}

const sendDigest = (db: Pool, { vault, site }: { vault: Vault; site: string }, id: number) =>
  db.transaction(async (db) => {
    const reader = await db.one<Reader>(due(sql`and u.id = ${id} for no key update of u skip locked`))
    if (!reader) return
    const projects = await happened(db, reader, site)
    await db.execute(sql`update users set digested_at = now() where id = ${id}`)
    const eventful = projects.filter(
      ({ counts, waiting_approvals }) => counts.opened + counts.fixed + counts.live + waiting_approvals > 0,
    )
    if (eventful.length > 0) await mails.writeToUser(db, id, digest(eventful, unsubscribeUrl(vault, site, id, 'digest')))
  })

/** Once a day, from the due hour on: a node that was down catches up. */
const due = (more: ReturnType<typeof sql>) => sql`
  select u.id, coalesce(u.default_account_id, 0) as account_id, greatest(coalesce(u.digested_at, '-infinity'), now() - interval '1 day') as since
  from users u left join accounts a on a.id = u.default_account_id
  cross join lateral (select zone_or_utc(coalesce(u.timezone, a.timezone, 'UTC')) as name) zone
  where u.daily_digest and u.email_verified and extract(hour from now() at time zone zone.name) >= ${DIGEST_HOUR}
    and (u.digested_at is null or (u.digested_at at time zone zone.name) < date_trunc('day', now() at time zone zone.name) + make_interval(hours => ${DIGEST_HOUR})) ${more}`

/** On several servers account by account. */
async function happened(db: Database, reader: Reader, site: string): Promise<DigestProject[]> {
  if (!(await db.isDistributed())) return happenedIn(db, reader, site, null)
  const accounts = await db.rows<{ account_id: number }>(sql`
    select account_id from account_members where user_id = ${reader.id} order by account_id`)
  const projects: DigestProject[] = []
  for (const { account_id } of accounts) projects.push(...(await happenedIn(ofAccount(db, account_id), reader, site, account_id)))
  return projects
}

/** `accountId`: null for all accounts of the reader. */
async function happenedIn(db: Database, { id, since }: Reader, site: string, accountId: number | null): Promise<DigestProject[]> {
  type Row = Pick<Breakage, 'evidence' | 'cause' | 'jobs' | 'branch'>
  type Found = Omit<DigestProject, 'opened' | 'fixed' | 'url'> & { id: number; opened: Row[]; fixed: Row[] }
  const breakages = (where: Sql) => sql`
    (select coalesce(json_agg(x), '[]') from (
      select k.evidence, k.cause, k.jobs, nullif(k.branch, '') as branch from breakages k where k.project_id = p.id and k.state <> 'withdrawn' and ${where} order by k.opened_at desc limit ${LINES_MAX}) x)`
  const counted = (where: Sql) =>
    sql`(select count(*) from breakages k where k.project_id = p.id and k.state <> 'withdrawn' and ${where})`
  const opened = sql`k.opened_at >= ${since}`
  const fixed = sql`k.state = 'fixed' and k.fixed_at >= ${since}`
  const live = sql`from deployments d where d.project_id = p.id and ${WENT_LIVE} and d.went_live_at >= ${since}`
  const found = await db.rows<Found>(sql`
    select p.id, p.name, ${breakages(opened)} as opened, ${breakages(fixed)} as fixed,
      (select count(*) from breakages k where k.project_id = p.id and ${UNSETTLED}) as open,
      (select count(distinct coalesce(a.level, a.asset_id::text)) from approvals a where a.project_id = p.id and a.status = 'pending') as waiting_approvals,
      array(select concat_ws(' ', coalesce(nullif(d.store, ''), d.platform), d.version) ${live} order by d.went_live_at desc limit ${LINES_MAX}) as live,
      json_build_object('opened', ${counted(opened)}, 'fixed', ${counted(fixed)}, 'live', (select count(*) ${live})) as counts
    from project_access m join projects p on p.id = m.project_id and p.status = 'active'
    where m.user_id = ${id} ${accountId === null ? empty : sql`and m.account_id = ${accountId}`} order by p.name, p.id`)
  const line = (row: Row) => scrub(`${row.branch === null ? '' : `${row.branch}: `}${titleOf(row)}`)
  return found.map(({ id, opened, fixed, name, live, ...rest }) => ({
    ...rest,
    name: scrub(name),
    url: `${site}/projects/${id}`,
    opened: opened.map(line),
    fixed: fixed.map(line),
    live: live.map(scrub),
  }))
}
