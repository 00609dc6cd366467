import type { DeploymentStatus, Platform } from '../../contract/sets.ts'
import { trackOf } from '../../contract/spellings/stores.ts'
import { type Database, sql } from '../../db/database.ts'
import { lockProject } from '../branches/project-lock.ts'
import { type IntegrationContext, isHistory } from '../integrations/context.ts'
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
  import_id: number | null
}

const STORED = sql`id, number, account_id, project_id, status, job_name, track, live_at, told_at, import_id`

type Reported = { id: string; effect: 'processed' | 'stale' } | { several: string[] }

/** Creates or updates the deployment; another track of the store is another deployment. `several`: the deployments it could be about. */
export async function report(db: Database, context: IntegrationContext, given: Report): Promise<Reported> {
  const reported = { ...given, key: given.key.replaceAll('\n', ' ') }
  await lockProject(db, context.project_id)
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
  const known = found ?? (await make(db, context, reported, track ?? '', same[0]))
  await update(db, known, reported, track, history)
  await relink(db, context.account_id, known.id)
  return { id: known.id, effect: 'processed' }
}

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
  reported: Report,
  track: string,
  like: StoredDeployment | undefined,
): Promise<StoredDeployment> {
  const history = isHistory(context)
  const { platform, store = '', key, job_name = like?.job_name ?? '', status = 'pending' } = reported
  const made = (await db.one<StoredDeployment>(sql`
    insert into deployments (account_id, project_id, integration_id, external_key, platform, store, track, status, job_name, branch, version,
      external_id, external_build_id, build_number, commit_hash, changelist, named_build_run_id,
      deployed_at, created_at, import_id)
    select ${context.account_id}, ${context.project_id}, ${context.integration_id}, ${keyOf(key, job_name, track)}, ${platform}, ${store}, ${track},
      ${status}, ${job_name}, ${reported.branch ?? ''}, coalesce(${reported.version ?? null}, o.version, ''), coalesce(o.external_id, ''), coalesce(o.external_build_id, ''),
      coalesce(o.build_number, ''), coalesce(o.commit_hash, ''), coalesce(o.changelist, ''), o.named_build_run_id, ${timesOf(reported).deployed},
      least(now(), ${history ? (reported.at ?? null) : null}::timestamptz), ${context.import_id ?? null}::bigint
    from (select) one left join deployments o on o.account_id = ${context.account_id} and o.id = ${like?.id ?? null}
    returning ${STORED}`))!
  await note(db, made, { kind: 'status', after: status, ...(history && { at: reported.at }) })
  return made
}

/** When it reached the reported status. */
function timesOf({ at, status, uploaded }: Report) {
  const reached = (isReached: boolean) => sql`case when ${isReached} then coalesce(${at ?? null}::timestamptz, now()) end`
  return {
    submitted: reached(status === 'submitted' || status === 'in_review'),
    deployed: reached(uploaded === true || status === 'live'),
    live: reached(status === 'live'),
  }
}

async function update(
  db: Database,
  known: StoredDeployment,
  reported: Report,
  track: string | undefined,
  history: boolean,
): Promise<void> {
  const { status = known.status, key } = reported
  const [job, onTrack] = [reported.job_name ?? known.job_name, track ?? known.track]
  const { submitted, deployed, live } = timesOf(reported)
  await db.execute(sql`
    update deployments d set status = ${status}, external_key = ${keyOf(key, job, onTrack)}, job_name = ${job}, track = ${onTrack},
      store = coalesce(${reported.store ?? null}, d.store), branch = coalesce(${reported.branch ?? null}, d.branch),
      version = coalesce(${reported.version ?? null}, d.version), external_id = coalesce(${reported.external_id ?? null}, d.external_id),
      external_build_id = coalesce(${reported.external_build_id ?? null}, d.external_build_id),
      build_number = coalesce(${reported.build_number ?? null}, d.build_number), commit_hash = coalesce(${reported.commit ?? null}, d.commit_hash),
      changelist = coalesce(${reported.changelist ?? null}, d.changelist),
      named_build_run_id = coalesce((select b.id from build_runs b where b.account_id = d.account_id and b.project_id = d.project_id
        and b.id = ${reported.build_run_id ?? 0}),
        d.named_build_run_id),
      submitted_at = coalesce(d.submitted_at, ${submitted}), deployed_at = coalesce(d.deployed_at, ${deployed}),
      live_at = coalesce(${live}, d.live_at), told_at = greatest(d.told_at, ${reported.at ?? null}::timestamptz), updated_at = now()
    where d.account_id = ${known.account_id} and d.id = ${known.id}`)
  if (status !== known.status)
    await note(db, known, { kind: 'status', before: known.status, after: status, ...(history && { at: reported.at }) })
}
