import { type Database, sql } from '../../db/database.ts'
import { WANTED } from '../builds/follow-up-jobs.ts'
import { logHash } from '../builds/stored-log.ts'
import { type Explain, run } from './run-investigation.ts'

interface Begun {
  id: number
  automatic: boolean
}

/** Once per log. Joins a running investigation, or resumes one whose worker died. */
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
