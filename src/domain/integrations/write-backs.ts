import { notFound } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { enqueue } from '../../db/queue.ts'
import { MAY_FAIL } from '../branches/build-statuses.ts'
import { asking, type IntegrationContext } from './context.ts'
import { CONTEXT } from './job-subjects.ts'

/** Results of builds that are written to the server of a tool. */

/** An integration `i` that writes, as far as is known. */
export const WRITES = sql`i.write_back and i.write_back_problem = '' and i.active and i.deleted_at is null`

export const scheduleWriteBack = (db: Database, { account_id, id }: RecordKey) => scheduleWriteBacks(db, account_id, [id])

/** In the transaction that ended builds, or that explained their failures. One job covers everything that happens before it runs. */
export async function scheduleWriteBacks(db: Database, accountId: number, builds: readonly number[]) {
  if (builds.length === 0) return
  const due = await db.rows<Pick<IntegrationContext, 'account_id' | 'integration_id' | 'config'> & { build_run_id: number }>(sql`
    select i.account_id, i.id as integration_id, i.config, b.id as build_run_id from build_runs b
    join integrations i on i.account_id = b.account_id and i.project_id = b.project_id and ${WRITES}
    join accounts a on a.id = b.account_id and not a.demo and a.swept_at is null
    where b.account_id = ${accountId} and b.id = any (${builds}::bigint[]) and (b.commit_hash <> '' or b.shelf <> '') and b.import_id is null and b.kind <> 'bisect'
    order by i.id, b.id`)
  for (const { build_run_id, ...integration } of due) await enqueueWriteBack(db, integration, build_run_id)
}

/** How many verdicts one breakage changes at most. */
const VERDICTS_MAX = 50

/** In the transaction that opened or ended a breakage: what was said about preflights with its failure may no longer be true. */
export async function scheduleVerdicts(db: Database, { account_id, id }: RecordKey) {
  const builds = await db.rows<RecordKey>(sql`
    select b.account_id, b.id from breakages k
    join build_runs b on b.account_id = k.account_id and b.project_id = k.project_id and b.kind = 'preflight' and ${MAY_FAIL}
      and b.created_at > goldmaster_now() - interval '14 days'
    join lateral (
      select i.fingerprint, i.joins_keys from investigations i
      where i.account_id = b.account_id and i.build_run_id = b.id and i.status = 'completed' order by i.id desc limit 1) i
      on i.fingerprint = k.fingerprint or i.joins_keys && k.cause_keys
    where k.account_id = ${account_id} and k.id = ${id}
      and exists (select from integrations i where i.account_id = k.account_id and i.project_id = k.project_id and ${WRITES})
    order by b.id desc limit ${VERDICTS_MAX}`)
  for (const build of builds) await scheduleWriteBack(db, build)
}

export const enqueueWriteBack = (
  db: Database,
  integration: Pick<IntegrationContext, 'account_id' | 'integration_id' | 'config'>,
  build_run_id: number,
  delay = 0,
) => {
  const { account_id, integration_id } = integration
  const name = `write back ${integration_id} ${build_run_id}`
  return enqueue(
    db,
    'write_back',
    { account_id, integration_id, build_run_id },
    { ...asking(integration), name, ...(delay > 0 && { delay }) },
  )
}

export interface WriteBackSubject extends IntegrationContext {
  commit_hash: string
  /** Empty unless it is a preflight of one. */
  shelf: string
  job: string
  /** Empty unless it is a preflight of one. */
  pull_request: string
  /** Pages of the commit and of the build at the tool itself. */
  pages: string[]
}

/** A build and the integration that its result is written to; undefined if that was switched off. */
export const writeBackSubject = (db: Database, { account_id, integration_id, build_run_id }: WriteBackKey) =>
  db.one<WriteBackSubject>(sql`
    select ${CONTEXT}, b.commit_hash, b.shelf, b.job, b.pull_request,
      array_remove(array[(
        -- The page of a fork's commit is in the fork, and the pull request is not.
        select c.url from changes c where b.head_repository = '' and c.account_id = b.account_id and c.project_id = b.project_id and c.identifier = b.commit_hash
          and c.source_type = 'GitCommit' and c.integration_id = i.id),
        case when b.integration_id = i.id then b.url end], null) as pages
    from build_runs b join integrations i on i.account_id = b.account_id and i.project_id = b.project_id and i.id = ${integration_id} and ${WRITES}
    join projects p on p.account_id = b.account_id and p.id = b.project_id and p.status = 'active'
    where b.account_id = ${account_id} and b.id = ${build_run_id}`)

/** Pages of what a tool reported lately. */
export const knownPages = async (db: Database, { account_id, project_id, integration_id }: IntegrationContext) =>
  (
    await db.rows<{ url: string }>(sql`
      select distinct url from (
        (select c.integration_id, c.url from changes c where c.account_id = ${account_id} and c.project_id = ${project_id}
          order by c.timestamp desc, c.id desc limit 200)
        union all
        (select b.integration_id, b.url from build_runs b where b.account_id = ${account_id} and b.project_id = ${project_id}
          order by b.created_at desc, b.id desc limit 200)
        union all
        (select r.integration_id, r.url from external_references r where r.account_id = ${account_id} and r.integration_id = ${integration_id}
          order by r.id desc limit 200)) newest
      where integration_id = ${integration_id} and url <> ''`)
  ).map(({ url }) => url)

export interface WriteBackKey {
  account_id: number
  integration_id: number
  build_run_id: number
}

export interface Subject {
  account_id: number
  integration_id: number
  subject: string
}

/** A claim of a subject, for as long as nobody else claims it. */
export interface Claim extends Subject {
  token: string
}

export interface Written {
  sent: string
  unsure: boolean
  remote_id: string | null
  gone: boolean
}

/** Only the owner of the claim changes the row: a job that was held up finds that another one took over. */
const isOurs = ({ account_id, integration_id, subject, token }: Claim) =>
  sql`account_id = ${account_id} and integration_id = ${integration_id} and subject = ${subject} and claimed_by = ${token}::uuid`

/** Longer than two requests take. A job that lives renews it. */
export const CLAIM_SECONDS = 45
const BUSY = sql`goldmaster_now() + make_interval(secs => ${CLAIM_SECONDS})`

/** What was written so far. Undefined while another job writes it. */
export const claim = (db: Database, { account_id, integration_id, subject, token }: Claim) =>
  db.one<Written>(sql`
    insert into write_backs as w (account_id, integration_id, subject, busy_until, claimed_by)
    values (${account_id}, ${integration_id}, ${subject}, ${BUSY}, ${token}::uuid)
    on conflict (account_id, integration_id, subject) do update set busy_until = excluded.busy_until, claimed_by = excluded.claimed_by
      where w.busy_until is null or w.busy_until < goldmaster_now()
    returning sent, unsure, remote_id, gone`)

/** While a slow server is asked. */
export const renew = (db: Database, claim: Claim) =>
  db.execute(sql`update write_backs set busy_until = ${BUSY} where ${isOurs(claim)}`)

/** Ends the claim. */
export const release = (db: Database, claim: Claim) =>
  db.execute(sql`update write_backs set busy_until = null, claimed_by = null where ${isOurs(claim)}`)

/** Another job claimed the subject meanwhile. */
export class ClaimLost extends Error {}

/** Right before a request, which must not be sent after another job has taken over. */
export async function noteUnsure(db: Database, claim: Claim) {
  const rows = await db.execute(sql`update write_backs set unsure = true, busy_until = ${BUSY} where ${isOurs(claim)}`)
  if (rows === 0) throw new ClaimLost('Another job writes this.')
}

/** After the request. A job that took over during the request looks for its outcome at the server. */
export const noteSent = (db: Database, claim: Claim, sent: string, remote_id: string | null = null, gone = false) =>
  db.execute(sql`
    update write_backs set sent = ${sent}, unsure = false, remote_id = ${remote_id}, gone = ${gone}, updated_at = now()
    where ${isOurs(claim)}`)

/** Switches it on or off. `problem`: why nothing is written for now. */
export async function setWriteBack(db: Database, id: number, write_back: boolean, problem = '') {
  const set = await db.execute(sql`
    update integrations set write_back = ${write_back}, write_back_problem = ${problem}, updated_at = now()
    where id = ${id} and deleted_at is null`)
  if (set === 0) throw notFound('Integration')
}

/** For an operator, whose command can't ask the server: nothing is written before a job has checked the permissions. */
export async function startWriteBack(db: Database, { account_id, id }: RecordKey) {
  await setWriteBack(db, id, true, 'The permissions are not checked yet.')
  await enqueue(db, 'check_write_back', { account_id, integration_id: id }, { account_id, name: `check write back ${id}` })
}

/** Nothing is written any more until somebody switches it on again. */
export const pauseWriteBack = (
  db: Database,
  { account_id, integration_id }: Omit<WriteBackKey, 'build_run_id'>,
  problem: string,
) =>
  db.execute(sql`
    update integrations set write_back_problem = ${problem}
    where account_id = ${account_id} and id = ${integration_id} and write_back`)
