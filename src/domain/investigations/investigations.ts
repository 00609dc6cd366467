import { buildNotFailed, dailyLimitReached, insufficientCredits, notFound } from '../../contract/errors.ts'
import { DAILY_INVESTIGATIONS, type Plan } from '../../contract/sets.ts'
import type { Investigation } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { enqueue } from '../../db/queue.ts'
import { INVESTIGATION } from '../builds/newest-investigation.ts'
import { evidenceHash } from '../builds/stored-log.ts'

interface Started {
  investigation: Investigation
  created: boolean
}

interface Build extends RecordKey {
  status: string
  evidence_hash: Buffer
}

/** Whether `start` would begin an investigation of a failed build: none is running, and none ended with the same log. */
export const wouldBegin = (build: Sql) => sql`not coalesce((
  select i.status in ('pending', 'running') or i.status = 'completed' and i.evidence_hash = ${evidenceHash(build)}
  from investigations i where i.account_id = ${build}.account_id and i.build_run_id = ${build}.id order by i.id desc limit 1), false)`

/**
 * Starts the investigation of a failed build, or returns the existing one: a running one, or a finished one with an unchanged log. A new
 * one costs a credit if credits are limited, and counts towards the day; both are settled under the account's lock.
 */
export function start(db: Database, project: ProjectKey, buildId: number | undefined): Promise<Started> {
  const accountId = project.account_id
  return db.transaction(async (db) => {
    const build = await db.one<Build>(sql`
      select account_id, id, status, ${evidenceHash(sql`b`)} as evidence_hash
      from build_runs b where account_id = ${project.account_id} and project_id = ${project.project_id} and id = ${buildId ?? 0}`)
    if (!build) throw notFound('Build run')
    if (build.status !== 'failed') throw buildNotFailed(build.status)
    const account = (await db.one<{ plan: Plan; credits: number | null; daily_limit: number | null }>(
      sql`select plan, credits, daily_limit from accounts where id = ${accountId} for no key update`,
    ))!
    const known = await newest(db, build)
    const settled = known?.status === 'completed' && known.evidence_hash?.equals(build.evidence_hash)
    if (known && (known.status === 'pending' || known.status === 'running' || settled))
      return { investigation: await find(db, known), created: false }
    await refuseBeyondLimit(db, accountId, account.daily_limit ?? DAILY_INVESTIGATIONS[account.plan])
    if (account.credits !== null && account.credits < 1) throw insufficientCredits()
    const { id } = (await db.one<{ id: number }>(sql`
      insert into investigations (account_id, build_run_id, evidence_hash) values (${accountId}, ${build.id}, ${build.evidence_hash}) returning id`))!
    if (account.credits !== null)
      await db.execute(sql`update accounts set credits = credits - 1, updated_at = now() where id = ${accountId}`)
    await enqueue(db, 'investigate', { account_id: accountId, investigation_id: id }, { account_id: accountId })
    return { investigation: await find(db, { account_id: accountId, id }), created: true }
  })
}

const newest = (db: Database, build: RecordKey) =>
  db.one<RecordKey & { status: string; evidence_hash: Buffer | null }>(
    sql`select account_id, id, status, evidence_hash from investigations
      where account_id = ${build.account_id} and build_run_id = ${build.id} order by id desc limit 1`,
  )

const find = async (db: Database, { account_id, id }: RecordKey): Promise<Investigation> =>
  (await db.one<Investigation>(sql`
    select ${INVESTIGATION} from investigations i where i.account_id = ${account_id} and i.id = ${id}`))!

/** Days are UTC days; refunded and automatic investigations do not count. */
async function refuseBeyondLimit(db: Database, accountId: number, limit: number) {
  const { used, seconds } = (await db.one<{ used: number; seconds: number }>(sql`
    select count(*) as used, ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::integer as seconds
    from investigations where account_id = ${accountId} and not automatic and refunded_at is null and created_at >= date_trunc('day', now(), 'UTC')`))!
  if (used >= limit) throw dailyLimitReached(limit, seconds)
}

/** Refunds the credit; it no longer counts towards the daily limit. */
export const refund = (db: Database, { account_id, id }: RecordKey) =>
  db.transaction(async (db) => {
    const given = await db.execute(sql`
      update investigations set refunded_at = now()
      where account_id = ${account_id} and id = ${id} and refunded_at is null and not automatic`)
    if (given === 0) return
    await db.execute(sql`
      update accounts set credits = credits + 1, updated_at = now() where id = ${account_id} and credits is not null`)
  })
