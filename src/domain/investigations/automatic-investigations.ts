import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { MAY_FAIL } from '../branches/build-statuses.ts'
import { WANTED } from '../builds/follow-up-jobs.ts'
import { evidenceHash } from '../builds/stored-log.ts'
import { type Explain, run } from './run-investigation.ts'

interface Begun extends RecordKey {
  automatic: boolean
}

/** Once per log. Joins a running investigation, or resumes one whose worker died. */
export async function investigateFailure(db: Database, build: RecordKey, explain?: Explain) {
  const begun = (await begin(db, build)) ?? (await underWay(db, build))
  if (begun?.automatic) await run(db, begun, explain)
}

const begin = (db: Database, build: RecordKey) =>
  db.one<Begun>(sql`
    insert into investigations (account_id, build_run_id, evidence_hash, automatic)
    select f.account_id, f.id, f.hash, true from (
      select b.account_id, b.id, ${evidenceHash(sql`b`)} as hash
      from build_runs b join projects p on p.account_id = b.account_id and p.id = b.project_id join accounts a on a.id = b.account_id
      where b.account_id = ${build.account_id} and b.id = ${build.id} and ${MAY_FAIL} and ${WANTED} offset 0) f
    where f.hash is distinct from (
      select i.evidence_hash from investigations i where i.account_id = f.account_id and i.build_run_id = f.id and i.status = 'completed'
        order by i.id desc limit 1)
    on conflict (account_id, build_run_id) where status in ('pending', 'running') do nothing
    returning account_id, id, automatic`)

const underWay = (db: Database, build: RecordKey) =>
  db.one<Begun>(sql`
    select account_id, id, automatic from investigations
    where account_id = ${build.account_id} and build_run_id = ${build.id} and status in ('pending', 'running')`)
