import { isObjectLost } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { passedLines } from '../../diagnosis/stages/passed.ts'
import { IS_OF_BRANCH } from '../branches/build-statuses.ts'
import { BRANCH } from '../branches/positions.ts'
import { logOf } from '../builds/stored-log.ts'
import type { Case } from './suspects.ts'

/** Enough passes to see what a job prints occasionally. */
const PASSES = 5
/** A lineHash has 48 bits. */
const BYTES = 6

interface Pass {
  id: number
  hashes: Buffer | null
  log: string | null
  log_object: string | null
}

/** The last passes of the same job and branch before this build that had a log, with its lines if they are stored, otherwise the log. */
const lastPasses = (db: Database, it: Case) =>
  db.rows<Pass>(sql`
    select b.id, p.hashes, case when p.hashes is null then b.output_log end as log,
      case when p.hashes is null then b.log_object end as log_object
    from build_runs b left join passed_lines p on p.account_id = b.account_id and p.build_run_id = b.id
      and p.log_size = coalesce(case when b.log_object is null then octet_length(b.output_log) end, p.log_size)
    where b.account_id = ${it.account_id} and b.project_id = ${it.project_id} and b.job = ${it.job}
      and ${BRANCH} = ${it.branch} and b.id <> ${it.build_run_id}
      and ${IS_OF_BRANCH} and b.verdict = 'passed' and b.created_at <= (
        select created_at from build_runs where account_id = ${it.account_id} and id = ${it.build_run_id})
      and (b.output_log is not null or b.log_object is not null or p.hashes is not null)
    order by b.created_at desc, b.id desc limit ${PASSES}`)

const pack = (hashes: ReadonlySet<number>) => {
  const bytes = Buffer.alloc(BYTES * hashes.size)
  let at = 0
  for (const hash of [...hashes].sort((a, b) => a - b)) at = bytes.writeUIntBE(hash, at, BYTES)
  return bytes
}

function* unpack(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += BYTES) yield bytes.readUIntBE(at, BYTES)
}

const remember = (db: Database, it: Case, { id, log }: { id: number; log: string }, hashes: Buffer) =>
  db.execute(sql`
    insert into passed_lines (account_id, build_run_id, log_size, hashes)
    values (${it.account_id}, ${id}, ${Buffer.byteLength(log)}, ${hashes})
    on conflict (account_id, build_run_id) do update set log_size = excluded.log_size, hashes = excluded.hashes`)

/** Later failures are compared with later passes. */
const forgetOlder = (db: Database, it: Case, newest: readonly number[]) =>
  db.execute(sql`
    delete from passed_lines p using build_runs b
    where p.account_id = ${it.account_id} and b.account_id = p.account_id and b.id = p.build_run_id and b.project_id = ${it.project_id}
      and b.job = ${it.job}
      and ${BRANCH} = ${it.branch} and b.id <> all (${newest}) and b.created_at < (
        select min(created_at) from build_runs where account_id = ${it.account_id} and id = any (${newest}))`)

/**
 * The lines of the last passed logs of the same job and branch. A log is read when a failure is first compared with it, and its lines are
 * stored from then on: a passed build costs nothing, and the lines outlive the log.
 */
export async function linesOfLastPasses(db: Database, it: Case): Promise<Set<number>> {
  const passes = await lastPasses(db, it)
  const known = new Set<number>()
  let isNew = false
  for (const { id, hashes, ...parts } of passes) {
    if (hashes) for (const hash of unpack(hashes)) known.add(hash)
    const log = await logOf(db, { account_id: it.account_id, ...parts }).catch((error: unknown) => {
      // The other logs are still useful.
      if (isObjectLost(error)) return null
      throw error
    })
    if (hashes || log === null) continue
    const lines = passedLines(log)
    for (const hash of lines) known.add(hash)
    await remember(db, it, { id, log }, pack(lines))
    isNew = true
  }
  if (isNew)
    await forgetOlder(
      db,
      it,
      passes.map(({ id }) => id),
    )
  return known
}
