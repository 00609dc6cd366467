import { DEPLOYMENT_STATUSES, type DeploymentStatus, type Platform } from '../../contract/sets.ts'
import { trackOf } from '../../contract/spellings/stores.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import { lockProject } from '../branches/project-lock.ts'
import { type IntegrationContext, isHistory } from '../integrations/context.ts'
import { scrub } from '../privacy/scrub.ts'
import { relink } from './build-link.ts'
import { note } from './history.ts'

/** A tool's report about a deployment. Missing fields stay unchanged. */
export interface Report {
  platform: Platform
  /** The store's own name if the platform is `custom`. */
  store?: string
  /** Absent: the branch is the track, unless version control has a branch of that name. */
  track?: string
  /** What reports of the same upload share within integration and platform (mostly the build number). */
  key: string
  job_name?: string
  build_number?: string
  /** Absent: the status was not recognized; the deployment keeps its state, `pending` when new. */
  status?: DeploymentStatus
  /** The upload is done: sets `deployed_at`. */
  uploaded?: true
  branch?: string
  version?: string
  external_id?: string
  external_build_id?: string
  commit?: string
  changelist?: string
  build_run_id?: number
  /** Why it has this status, for the history. */
  reason?: string
  at?: string
}

interface StoredDeployment {
  id: string
  number: number
  account_id: number
  project_id: number
  status: DeploymentStatus
  job_name: string
  track: string
  live_at: string | null
  told_at: string | null
  status_at: string | null
  import_id: number | null
}

const STORED = sql`id, number, account_id, project_id, status, job_name, track, live_at, told_at, status_at, import_id`

type Reported = { id: string; effect: 'processed' | 'stale' } | { several: string[] }

/** Creates or updates the deployment; another track of the store is another deployment. `several`: the deployments it could be about. */
export async function report(db: Database, context: IntegrationContext, given: Report): Promise<Reported> {
  await lockProject(db, context.project_id)
  // A clock that is ahead must not make a report newer than those that follow.
  const { at } = (await db.one<{ at: string }>(
    sql`select least(${given.at ?? null}::timestamptz, goldmaster_now())::timestamptz(3) as at`,
  ))!
  const reported = { ...given, key: given.key.replaceAll('\n', ' '), ...(given.at !== undefined && { at }) }
  const history = isHistory(context)
  if (history) await db.execute(sql`set local goldmaster.quiet = 'on'`)
  const track = await trackTold(db, context, reported)
  const same = await sameUpload(db, context, reported)
  const found = meant(same, reported.job_name, track)
  if (found === 'several') return { several: [...new Set(same.map((one) => one.track || one.job_name))] }
  const isImported = found?.import_id != null
  if (isImported && !history)
    await db.execute(sql`update deployments set import_id = null where account_id = ${context.account_id} and id = ${found.id}`)
  // What an import told, the tool may tell again, and the reverse.
  if (found && (history || isImported) && !isNews(found, reported)) return { id: found.id, effect: 'stale' }
  const timed = { ...reported, at, isOrdered: given.at !== undefined || !history }
  const known = found ?? (await make(db, context, timed, track ?? '', same[0]))
  const isCurrent = isNewest(known, reported.status, at)
  await update(db, known, timed, track, isCurrent)
  await relink(db, context.account_id, known.id)
  return { id: known.id, effect: isCurrent ? 'processed' : 'stale' }
}

/** Whether a reported status is the newest one. Of several at the same time, the furthest counts. */
const isNewest = ({ status_at, status }: StoredDeployment, reported: DeploymentStatus | undefined, at: string) => {
  if (reported === undefined || status_at === null || Date.parse(at) !== Date.parse(status_at))
    return reported === undefined || status_at === null || Date.parse(at) > Date.parse(status_at)
  return DEPLOYMENT_STATUSES.indexOf(reported) >= DEPLOYMENT_STATUSES.indexOf(status)
}

/** A report with its time: its own, or that of its receipt, which orders nothing if an import reports it. */
type Timed = Report & { at: string; isOrdered: boolean }

const isNews = ({ told_at, status }: StoredDeployment, reported: Report) =>
  told_at === null || reported.at === undefined
    ? reported.status !== undefined && reported.status !== status
    : Date.parse(reported.at) > Date.parse(told_at)

/** Names that version control uses and stores do not. */
const SOURCE_BRANCHES = ['main', 'master', 'trunk', 'develop']

async function trackTold(db: Database, { account_id, project_id }: IntegrationContext, reported: Report) {
  const { platform, track, branch } = reported
  if (track !== undefined) return trackOf(platform, track)
  if (branch === undefined || branch.includes('/') || SOURCE_BRANCHES.includes(branch)) return undefined
  const source = await db.one(sql`
    select from change_branches where account_id = ${account_id} and project_id = ${project_id} and branch = branch_key(${branch}) limit 1`)
  return source ? undefined : trackOf(platform, branch)
}

/** How many deployments of one upload are read; no store has as many tracks. */
const SAME_MAX = 100

const sameUpload = (db: Database, { account_id, integration_id }: IntegrationContext, { platform, key }: Report) =>
  db.rows<StoredDeployment>(sql`
    select ${STORED} from deployments
    where account_id = ${account_id} and integration_id = ${integration_id} and platform = ${platform} and split_part(external_key, E'\n', 1) = ${key}
    order by number desc limit ${SAME_MAX}`)

/** The deployment that a report is about: a field that is missing on either side matches any value. */
function meant(
  same: StoredDeployment[],
  job: string | undefined,
  track: string | undefined,
): StoredDeployment | 'several' | undefined {
  const isExact = (one: StoredDeployment) => (job ?? one.job_name) === one.job_name && (track ?? one.track) === one.track
  const isOpen = (one: StoredDeployment) =>
    (job === undefined || one.job_name === '' || one.job_name === job) &&
    (track === undefined || one.track === track || (one.track === '' && one.live_at === null))
  const exact = same.filter(isExact)
  const found = exact.length > 0 ? exact : same.filter(isOpen)
  return found.length > 1 ? 'several' : found[0]
}

/** Upload, job and track in one text, as in the unique key of the table. */
const keyOf = (key: string, job: string, track: string) => (job === '' && track === '' ? key : [key, job, track].join('\n'))

/** A new deployment on another track copies what is known about the upload. */
async function make(
  db: Database,
  context: IntegrationContext,
  reported: Timed,
  track: string,
  like: StoredDeployment | undefined,
): Promise<StoredDeployment> {
  const history = isHistory(context)
  const { platform, store = '', key, job_name = like?.job_name ?? '', status = 'pending' } = reported
  const made = (await db.one<StoredDeployment>(sql`
    insert into deployments (account_id, project_id, integration_id, external_key, platform, store, track, status, job_name, branch, version,
      external_id, external_build_id, build_number, commit_hash, changelist, named_build_run_id,
      deployed_at, status_at, created_at, import_id)
    select ${context.account_id}, ${context.project_id}, ${context.integration_id}, ${keyOf(key, job_name, track)}, ${platform}, ${store}, ${track},
      ${status}, ${job_name}, ${reported.branch ?? ''}, coalesce(${reported.version ?? null}, o.version, ''), coalesce(o.external_id, ''), coalesce(o.external_build_id, ''),
      coalesce(o.build_number, ''), coalesce(o.commit_hash, ''), coalesce(o.changelist, ''), o.named_build_run_id, ${timesOf(reported).deployed}, ${reported.status === undefined || !reported.isOrdered ? null : reported.at}::timestamptz,
      least(now(), ${history ? reported.at : null}::timestamptz), ${context.import_id ?? null}::bigint
    from (select) one left join deployments o on o.account_id = ${context.account_id} and o.id = ${like?.id ?? null}
    returning ${STORED}`))!
  await note(db, made, { kind: 'status', after: status, note: reasonOf(reported), at: reported.at })
  return made
}

const REASON_MAX = 2_000
const reasonOf = ({ reason = '' }: Report) => scrub(reason.slice(0, REASON_MAX).toWellFormed())

/** When it reached the reported status. */
function timesOf({ at, status, uploaded }: Timed) {
  const reached = (isReached: boolean) => sql`case when ${isReached} then ${at}::timestamptz end`
  return {
    submitted: reached(status === 'submitted' || status === 'in_review'),
    deployed: reached(uploaded === true || status === 'live'),
    live: reached(status === 'live'),
  }
}

/** An outdated report fills in what is missing and replaces nothing. */
async function update(
  db: Database,
  known: StoredDeployment,
  reported: Timed,
  track: string | undefined,
  isCurrent: boolean,
): Promise<void> {
  const { status: said, key, at, isOrdered } = reported
  const status = isCurrent ? (said ?? known.status) : known.status
  const isOutdated = known.told_at !== null && Date.parse(at) < Date.parse(known.told_at)
  const [job, onTrack] = [reported.job_name ?? known.job_name, track ?? known.track]
  const { submitted, deployed, live } = timesOf(reported)
  const newest = (column: string, value: string | undefined) => {
    const stored = raw(`d.${column}`)
    return isOutdated
      ? sql`coalesce(nullif(${stored}, ''), ${value ?? null}::text, '')`
      : sql`coalesce(${value ?? null}::text, ${stored})`
  }
  const named = sql`(select b.id from build_runs b where b.account_id = d.account_id and b.project_id = d.project_id
    and b.id = ${reported.build_run_id ?? 0})`
  await db.execute(sql`
    update deployments d set status = ${status}, external_key = ${keyOf(key, job, onTrack)}, job_name = ${job}, track = ${onTrack},
      store = ${newest('store', reported.store)}, branch = ${newest('branch', reported.branch)}, version = ${newest('version', reported.version)},
      external_id = ${newest('external_id', reported.external_id)}, external_build_id = ${newest('external_build_id', reported.external_build_id)},
      build_number = ${newest('build_number', reported.build_number)}, commit_hash = ${newest('commit_hash', reported.commit)},
      changelist = ${newest('changelist', reported.changelist)},
      named_build_run_id = ${isOutdated ? sql`coalesce(d.named_build_run_id, ${named})` : sql`coalesce(${named}, d.named_build_run_id)`},
      submitted_at = least(d.submitted_at, ${submitted}), deployed_at = least(d.deployed_at, ${deployed}), live_at = greatest(d.live_at, ${live}),
      status_at = ${said !== undefined && isCurrent && isOrdered ? sql`${at}::timestamptz` : sql`d.status_at`},
      told_at = greatest(d.told_at, ${isOrdered ? at : null}::timestamptz),
      updated_at = now()
    where d.account_id = ${known.account_id} and d.id = ${known.id}`)
  if (status !== known.status)
    await note(db, known, { kind: 'status', before: known.status, after: status, note: reasonOf(reported), at })
}
