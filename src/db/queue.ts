import { createHash } from 'node:crypto'
import { type Database, isUniqueViolation, raw, type Sql, sql } from './database.ts'

/** Every kind of job with its payload. Providers add the jobs that call their servers. */
export interface Jobs {
  /** Applies a stored delivery whose tool already got a response. */
  ingest: { account_id: number; delivery_id: number }
  /** Processes the deliveries of an integration that could not be processed while their senders waited. */
  catch_up: { account_id: number; integration_id: number }
  /** Deletes the data of a deleted integration. */
  purge_integration: { integration_id: number }
  /** Writes an export file. */
  write_export: { account_id: number; export_id: number }
  /** Deletes the data of a closed account, project or user. */
  delete_account: { account_id: number }
  delete_project: { account_id: number; project_id: number }
  delete_user: { user_id: number }
  /** Runs an investigation. */
  investigate: { account_id: number; investigation_id: number }
  /** Investigates a failed build automatically. */
  investigate_failure: { account_id: number; build_run_id: number }
  /** Reads platform, configuration and, of a passed build, measures from the log. */
  read_log: { account_id: number; build_run_id: number }
  /** Finds the flaky tests among those that a build ran, and has its failure investigated. */
  judge_tests: { account_id: number; test_build_id: number }
  /** Finds measures that crossed their budget or no longer come; of one job, or of all. */
  judge_measures: { account_id: number; project_id: number; job?: string }
  /** Checks whether the breakages of a job are fixed. */
  recompute_breakages: { account_id: number; project_id: number; job: string; since?: string }
  /** Computes the suspects of a failed build again, from the changes between two positions of its branch. */
  review_suspects: { account_id: number; build_run_id: number; span?: { above: number; up_to: number } }
  /** Names the right author of suspected changes, after it became known who a member is in a tool, or is not. */
  correct_authors: { account_id: number; user_id: number }
  /** Finds builds whose range got a late change. */
  review_ranges: { account_id: number; project_id: number }
  /** Reads the results of a bisection and starts its next build. */
  advance_bisection: { account_id: number; bisection_id: number }
  /** Makes previews of the files that an integration's changes left. */
  fetch_previews: { account_id: number; integration_id: number }
  /** Reads the next page of an import. */
  read_import: { account_id: number; import_id: number }
  /** Deletes what only an import reported. */
  undo_import: { account_id: number; import_id: number }
  /** Asks the CI of a queued build to start it. */
  start_build: { account_id: number; build_run_id: number }
  /** Writes the result of a build to the server of its commit. */
  write_back: { account_id: number; integration_id: number; build_run_id: number }
  /** Tells the issue of a breakage's task that it is fixed. */
  write_back_issue: { account_id: number; integration_id: number; breakage_id: number; key: string }
  /** Asks a server whether results may be written there. */
  check_write_back: { account_id: number; integration_id: number }
  /** Sends a link that completes a sign-up, or notifies the existing user of the address. */
  mail_sign_up: { name: string; email: string; token: string; site: string }
  /** Sends a password reset link, if the address has a user. */
  mail_password_reset: { email: string; token: string; site: string }
  /** Records a wrong password in the audit log, if the address has a user. */
  audit_refused_sign_in: { email: string; ip_address: string; attempted_at: string }
}
export type JobKind = keyof Jobs

/**
 * `waiting` jobs are due, `scheduled` ones not yet. A `canceled` one still runs and is not retried: it was replaced by a newer one of its
 * name, or canceled. A `failed` one was given up.
 */
export const JOB_STATES = ['scheduled', 'waiting', 'running', 'canceled', 'failed'] as const

/** Jobs that are not running. */
export const IDLE = sql`state in ('scheduled', 'waiting', 'failed')`

interface Placing {
  /** Its account; none for the service's own work. */
  account_id?: number
  /** Owners take turns, and none gets all slots. The account by default. */
  owner?: string
  /** The server it calls: only a few jobs call one at the same time, and none while it is silent. */
  server?: string
  /** Not before this many seconds from now; a waiting job of the same name keeps an earlier time. */
  delay?: number
  /** Replaces a waiting job of the same name and account. While one of them runs, the next one waits. */
  name?: string
}

/** Longer names, which may contain a CI job name, are hashed: index entries have a maximum size. */
const NAME_MAX = 512
const shortened = (name: string): string => {
  if (name.length <= NAME_MAX) return name
  const hash = createHash('sha256').update(name).digest('hex')
  return `${name.slice(0, 200).toWellFormed()} ${hash}`
}

/** In the caller's transaction: a rollback discards the job. */
export const enqueue = <K extends JobKind>(db: Database, kind: K, payload: Jobs[K], placing: Placing) => {
  const { account_id, server = '', delay = 0, name } = placing
  const { owner = account_id === undefined ? '' : `account:${account_id}` } = placing
  const insert = sql`
    insert into jobs (account_id, owner, server, kind, payload, name, state, run_at)
    values (${account_id ?? null}, ${owner}, ${server}, ${kind}, ${JSON.stringify(payload)}::json, ${name === undefined ? null : shortened(name)}, ${delay > 0 ? 'scheduled' : 'waiting'},
      ${delay > 0 ? sql`goldmaster_now() + make_interval(secs => ${delay})` : sql`now()`})`
  if (name === undefined) return db.execute(insert)
  return db.execute(sql`
    with replaced as (update jobs set state = 'canceled' where ${called(name, account_id)} and state = 'running')
    ${insert}
    ${REPLACING}`)
}

/** A job that is replaced again and again must run some time. One that failed starts anew. */
const IS_DUE_EARLIER = sql`jobs.state <> 'failed' and jobs.attempts = 0 and jobs.run_at <= excluded.run_at`

/** Replaces a job of the same name that is not running. */
const REPLACING = sql`
  on conflict (account_id, name) where name is not null and ${IDLE} do update set
    owner = excluded.owner, server = excluded.server, kind = excluded.kind, payload = excluded.payload,
    state = case when ${IS_DUE_EARLIER} then jobs.state else excluded.state end,
    run_at = case when ${IS_DUE_EARLIER} then jobs.run_at else excluded.run_at end,
    attempts = 0, last_error = null, created_at = excluded.created_at`

/** A named job of an account, one of several. */
interface Named<K extends JobKind> {
  payload: Jobs[K]
  name: string
  delay?: number
}

/** The same for several named jobs of an account, no two of one name, in one statement. */
export async function enqueueAll<K extends JobKind>(db: Database, kind: K, accountId: number, jobs: readonly Named<K>[]) {
  if (jobs.length === 0) return
  // In the same order everywhere, so that two transactions do not deadlock.
  const rows = jobs
    .map(({ payload, name, delay = 0 }) => ({ payload, name: shortened(name), delay }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const names = rows.map(({ name }) => name)
  await db.execute(sql`
    with replaced as (
      update jobs set state = 'canceled' where account_id = ${accountId} and name = any (${names}::text[]) and state = 'running')
    insert into jobs (account_id, owner, kind, payload, name, state, run_at)
    select ${accountId}::integer, ${`account:${accountId}`}, ${kind}, j.payload, j.name, case when j.delay > 0 then 'scheduled' else 'waiting' end,
      case when j.delay > 0 then goldmaster_now() + make_interval(secs => j.delay) else now() end
    from json_to_recordset(${JSON.stringify(rows)}::json) as j (payload json, name text, delay float8)
    ${REPLACING}`)
}

const called = (name: string, account_id: number | undefined) =>
  sql`name = ${shortened(name)} and ${account_id === undefined ? sql`account_id is null` : sql`account_id = ${account_id}`}`

/** Whether a named job waits or runs. */
export const isQueued = async (db: Database, { name, account_id }: { name: string; account_id?: number }): Promise<boolean> =>
  (await db.one(
    sql`select id from jobs where ${called(name, account_id)} and state in ('scheduled', 'waiting', 'running') limit 1`,
  )) !== undefined

/** Cancels a named job: a waiting one is deleted, a running one is not retried. In the caller's transaction. */
export const cancel = (db: Database, { name, account_id }: { name: string; account_id?: number }) =>
  db.execute(sql`
    with gone as (delete from jobs where ${called(name, account_id)} and ${IDLE})
    update jobs set state = 'canceled' where ${called(name, account_id)} and state = 'running'`)

/** A job that a worker has claimed. */
export interface Job {
  id: number
  kind: string
  payload: unknown
  owner: string
  server: string
  attempts: number
  /** For recurring work: its scheduled time. */
  slot: string | null
}

interface Claim {
  worker: string
  /** Jobs that call a server, or those that do not. */
  remote: boolean
  kinds: readonly string[]
  /** The owner of the last turn. */
  after: string
  /** Owners and servers at their limit, or servers that must not be called. */
  full: { owners: readonly string[]; servers: readonly string[] }
  limit: number
}

/** No two jobs `j` of one name and account run at once. At most as many are skipped as there are running ones. */
const IS_ALONE = sql`(j.name is null or not exists (
  select from jobs r where r.name = j.name and r.account_id is not distinct from j.account_id and r.state in ('running', 'canceled')))`

/**
 * The next jobs, at most one per owner and server. Owners take turns in their order, starting after the last. A loose index scan from owner
 * to owner, and from server to server of each, so that the cost does not depend on the number of waiting jobs.
 */
export async function claim(db: Database, { worker, remote, kinds, after, full, limit }: Claim): Promise<Job[]> {
  const waiting = sql`j.state = 'waiting' and (j.server <> '') = ${remote}`
  const next = (column: Sql, condition: Sql) =>
    sql`(select ${column} from jobs j where ${waiting} and ${condition} order by ${column} limit 1)`
  const owner = sql`j.owner`
  const server = sql`j.server`
  const claimed = await db.rows<Job & { turn: number }>(sql`
    with recursive ahead (owner) as (
        ${next(owner, sql`j.owner > ${after}`)}
        union all select ${next(owner, sql`j.owner > a.owner`)} from ahead a where a.owner is not null),
      behind (owner) as (
        ${next(owner, sql`j.owner <= ${after}`)}
        union all select ${next(owner, sql`j.owner > b.owner and j.owner <= ${after}`)} from behind b where b.owner is not null),
      picked as materialized (
        select row_number() over () as turn, job.id, job.server from (select owner from ahead union all select owner from behind) o
        cross join lateral (
          with recursive servers (server) as (
            ${next(server, sql`j.owner = o.owner`)}
            union all select ${next(server, sql`j.owner = o.owner and j.server > s.server`)} from servers s where s.server is not null)
          select first.* from servers s cross join lateral (
            select j.id, j.server, j.run_at from jobs j
            where ${waiting} and j.owner = o.owner and j.server = s.server and j.kind = any (${kinds}::text[]) and ${IS_ALONE}
            order by j.run_at, j.id limit 1) first
          where s.server <> all (${full.servers}::text[]) order by first.run_at, first.id limit 1) job
        where o.owner <> all (${full.owners}::text[]) limit ${limit}),
      free as (
        -- Compared with a parameter: for a constant, PostgreSQL could read the whole index by owner instead of the one by id.
        select j.id from jobs j where j.state = ${'waiting'} and j.id = any (array(
          select p.id from picked p where p.server = '' or not exists (select from picked q where q.server = p.server and q.turn < p.turn)))
        for update skip locked)
    update jobs j set state = 'running', worker = ${worker}, attempts = j.attempts + 1, lease_until = ${leaseEnd}
    where j.id = any (array(select id from free))
    returning j.id, j.kind, j.payload, j.owner, j.server, j.attempts, j.slot, (select p.turn from picked p where p.id = j.id) as turn`)
  return claimed.sort((a, b) => a.turn - b.turn)
}

/**
 * For a connection that claims jobs. Statements are planned once: a plan made while the queue was empty would read all of a full one, until
 * PostgreSQL analyzes the table again.
 */
export async function planForIndexes(db: Database, isOn: boolean) {
  for (const way of ['enable_seqscan', 'enable_bitmapscan'])
    await db.execute(isOn ? sql`set ${raw(way)} = off` : sql`reset ${raw(way)}`)
}

/** How long a silent worker keeps its jobs. */
export const LEASE_SECONDS = 20
const leaseEnd = sql`now() + make_interval(secs => ${LEASE_SECONDS})`

/**
 * Renews the leases of running jobs; returns those that others have taken over. A locked row, mostly by the job's own transaction, is
 * skipped: nobody else can take it either.
 */
export const renew = async (db: Database, worker: string, ids: number[]): Promise<number[]> =>
  (
    await db.rows<{ id: number }>(sql`
      with held as (select id from jobs where id = any (${ids}::bigint[]) and worker = ${worker} for update skip locked),
        renewed as (update jobs set lease_until = ${leaseEnd} where id in (select id from held))
      select id from unnest(${ids}::bigint[]) id where not exists (select from jobs j where j.id = id.id and j.worker = ${worker})`)
  ).map(({ id }) => id)

/** After this time an attempt counts even if its worker died: a job that kills every worker is given up in the end. */
const FREE_ATTEMPTS = sql`interval '1 day'`
export const ATTEMPTS_MAX = 25
const ENDED = 'The node that worked on it ended.'

/**
 * Makes jobs of dead workers available again, without counting the attempt. A lease longer than the maximum was taken before the clock was
 * set back. Returns how many.
 */
export const reclaim = (db: Database): Promise<number> =>
  giveBack(db, sql`lease_until not between now() and now() + make_interval(secs => ${LEASE_SECONDS + 1})`)

/** Releases the jobs of a stopping worker. */
export const release = (db: Database, worker: string): Promise<number> => giveBack(db, sql`worker = ${worker}`)

const giveBack = (db: Database, which: Sql): Promise<number> =>
  db.transaction(async (db) => {
    const rows = await db.rows<{ id: number }>(
      sql`select id from jobs where state in ('running', 'canceled') and ${which} for update skip locked`,
    )
    if (rows.length === 0) return 0
    const given = sql`id = any (${rows.map(({ id }) => id)}::bigint[])`
    await db.execute(sql`
      delete from jobs j where ${given} and (state = 'canceled' or exists (
        select from jobs newer where newer.name = j.name and newer.account_id is not distinct from j.account_id and newer.${IDLE}))`)
    const isFree = sql`created_at > now() - ${FREE_ATTEMPTS}`
    const isOver = sql`not ${isFree} and attempts >= ${ATTEMPTS_MAX} and slot is null`
    await db.execute(sql`
      update jobs set worker = null, lease_until = null, attempts = case when ${isFree} then attempts - 1 else attempts end,
        state = case when ${isOver} then 'failed' else 'waiting' end, run_at = case when ${isOver} then now() else run_at end,
        last_error = case when ${isOver} then coalesce(last_error, ${ENDED}) else last_error end
      where ${given}`)
    return rows.length
  })

const mine = ({ id }: Job, worker: string) => sql`id = ${id} and worker = ${worker}`

/** The job is done. */
export const complete = (db: Database, worker: string, job: Job) => db.execute(sql`delete from jobs where ${mine(job, worker)}`)

/** It is retried after this many seconds; without them it is given up. */
export const fail = (db: Database, worker: string, job: Job, { error, seconds }: { error: string; seconds?: number }) =>
  putBack(
    db,
    worker,
    job,
    sql`last_error = ${error}, state = ${seconds === undefined ? 'failed' : 'scheduled'}, run_at = now() + make_interval(secs => ${seconds ?? 0})`,
  )

/** Schedules the next time of recurring work. */
export const reschedule = (db: Database, worker: string, job: Job, slot: Date, error: string | null) =>
  putBack(db, worker, job, sql`last_error = ${error}, state = 'scheduled', run_at = ${slot}, slot = ${slot}, attempts = 0`)

/** A job that was canceled or replaced while it ran is deleted. */
async function putBack(db: Database, worker: string, job: Job, change: Sql) {
  const kept = await db
    .execute(sql`update jobs set worker = null, lease_until = null, ${change} where ${mine(job, worker)} and state = 'running'`)
    .catch((error: unknown) => {
      if (isUniqueViolation(error, 'jobs_name')) return 0
      throw error
    })
  if (kept === 0) await complete(db, worker, job)
}

/**
 * Every kind of recurring work has a row. It is moved earlier if the settings say so; a row that nobody ran for half a day, or that no node
 * knows any more, is deleted.
 */
export async function schedule(db: Database, slots: Record<string, Date>) {
  await db.execute(sql`delete from jobs where slot < now() - interval '12 hours' and ${IDLE}`)
  await db.execute(sql`
    insert into jobs (owner, kind, name, payload, state, run_at, slot)
    select '', kind, kind, '{}', 'scheduled', slot, slot from unnest(${Object.keys(slots)}::text[], ${Object.values(slots)}::timestamptz[]) s (kind, slot)
    where not exists (select from jobs where name = kind and account_id is null and state in ('running', 'canceled'))
    on conflict (account_id, name) where name is not null and ${IDLE} do update set run_at = excluded.run_at, slot = excluded.slot
      where jobs.state = 'scheduled' and jobs.attempts = 0 and jobs.run_at > excluded.run_at`)
}

/** Makes due jobs available to workers. Rows that are just being replaced are left for the next time. */
export const promote = (db: Database): Promise<number> =>
  db.execute(sql`
    update jobs set state = 'waiting' where id = any (array(
      select id from jobs where state = 'scheduled' and run_at <= now() order by run_at limit ${PROMOTED_MAX} for update skip locked))`)
const PROMOTED_MAX = 1_000

/** Shown to people with the job; nodes report their silent servers themselves (domain/operations/nodes.ts). */
const LEFT_ALONE = 'The server does not answer. We try again later.'

/** Delays the jobs of a silent server, spread out, without counting an attempt. */
export const postpone = (db: Database, server: string, seconds: number) =>
  db.execute(sql`
    update jobs set state = 'scheduled', run_at = now() + make_interval(secs => ${seconds} * (1 + random() / 2)),
      last_error = coalesce(last_error, ${LEFT_ALONE})
    where id = any (array(select id from jobs where state = 'waiting' and server <> '' and server = ${server} for update skip locked))`)

export interface JobCount {
  kind: string
  state: 'running' | 'failed' | 'retrying' | 'scheduled' | 'waiting'
  count: number
}

/** A longer queue is counted up to the limit. Recurring work counts while it runs or fails. */
export const countJobs = (db: Database, limit: number): Promise<JobCount[]> =>
  db.rows<JobCount>(sql`
    select kind, count(*) as count,
      case when state in ('running', 'canceled') then 'running' when state = 'failed' then 'failed'
        when attempts > 0 then 'retrying' when run_at > now() then 'scheduled' else 'waiting' end as state
    from (select kind, state, attempts, run_at from jobs where slot is null or attempts > 0 limit ${limit}) jobs group by 1, 3 order by 1, 3`)

/** The due times of jobs that are not running. Recurring work may belong to settings that no node has any more. */
export const dueTimes = sql`select run_at from jobs where state in ('scheduled', 'waiting') and slot is null and run_at <= now()`

/** Jobs that failed at least once and are not done. */
export const failingJobs = sql`
  select id, kind, payload, attempts, state = 'failed' as given_up, run_at as next_try_at, last_error as error
  from jobs where last_error is not null`

/** Jobs that failed for good before a time. */
export const givenUpBefore = (time: Sql) => sql`state = 'failed' and run_at < ${time}`

/** Deletes jobs that are not running and whose payload contains a text, in any case. */
export const forgetMentioning = (db: Database, text: string) =>
  db.execute(sql`delete from jobs where ${IDLE} and position(lower(${text}) in lower(payload::text)) > 0`)

/** Classes of advisory locks by which nodes share queues with one lane each, and decide who makes the next backup. */
export const LEASES = {
  destinations: 0x706f7374,
  mails: 0x6d61696c,
  objects: 0x6f626a73,
  backups: 0x6261636b,
}
