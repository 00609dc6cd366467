import { type Database, sql } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { hasLog, logHash } from '../builds/stored-log.ts'
import { type Explain, run } from './run-investigation.ts'

/** A log may come after the failure; without one there is little to say, but somebody has to be told. */
const WAIT_FOR_LOG = 60
/** A log that grows after it was read is read again when it has come to rest. */
const REST = 10

/** Accounts that only look, and those that count what they spend, are left alone unless the project says otherwise. */
const WANTED = sql`coalesce(p.investigates_failures, a.credits is null) and not a.demo and a.swept_at is null`

/** In the transaction that made the build fail, or changed the log of one that did. */
export async function scheduleInvestigation(db: Database, buildId: number) {
  const due = await db.one<{ account_id: number; has_log: boolean; is_known: boolean }>(sql`
    select b.account_id, ${hasLog} as has_log,
      exists (select from investigations i where i.build_run_id = b.id) as is_known
    from build_runs b join projects p on p.id = b.project_id join accounts a on a.id = b.account_id
    where b.id = ${buildId} and b.status = 'failed' and ${WANTED}`)
  if (due === undefined) return
  await enqueue(
    db,
    'investigate_failure',
    { build_run_id: buildId },
    {
      account_id: due.account_id,
      name: `investigate build ${buildId}`,
      delay: due.is_known ? REST : due.has_log ? 0 : WAIT_FOR_LOG,
    },
  )
}

interface Begun {
  id: number
  automatic: boolean
}

/** Once for each log. One that is under way is joined, or taken up again where its worker died. */
export async function investigateFailure(db: Database, buildId: number, explain?: Explain) {
  const begun = (await begin(db, buildId)) ?? (await underWay(db, buildId))
  if (begun?.automatic) await run(db, begun.id, explain)
}

const begin = (db: Database, buildId: number) =>
  db.one<Begun>(sql`
    insert into investigations (account_id, build_run_id, log_hash, automatic)
    select b.account_id, b.id, log.hash, true
    from build_runs b join projects p on p.id = b.project_id join accounts a on a.id = b.account_id,
      lateral (select ${logHash(sql`b`)} as hash) log
    where b.id = ${buildId} and b.status = 'failed' and ${WANTED}
      and log.hash is distinct from (
        select i.log_hash from investigations i where i.build_run_id = b.id and i.status = 'completed' order by i.id desc limit 1)
    on conflict (build_run_id) where status in ('pending', 'running') do nothing
    returning id, automatic`)

const underWay = (db: Database, buildId: number) =>
  db.one<Begun>(sql`
    select id, automatic from investigations where build_run_id = ${buildId} and status in ('pending', 'running')`)
