import { type Database, sql } from '../db/database.ts'
import type { RecordKey } from '../db/project-key.ts'
import { run } from '../domain/investigations/run-investigation.ts'

/** The first start should be quick, and visitors find older builds to investigate manually. */
const SINCE = sql`interval '21 days'`

/** The investigations that would have run as the builds failed: they run now, and their times are moved back. */
export async function investigateFailures(db: Database, now: Date) {
  const begun = await db.rows<RecordKey>(sql`
    insert into investigations (account_id, build_run_id, evidence_hash, automatic)
    select account_id, id, sha256(convert_to(coalesce(output_log, ''), 'UTF8')), true
    from build_runs where status = 'failed' and created_at > ${now.toISOString()}::timestamptz - ${SINCE} order by coalesce(started_at, created_at), id
    returning account_id, id`)
  for (const investigation of begun) await run(db, investigation)
  await db.execute(sql`
    update investigations i set created_at = b.finished_at, finished_at = b.finished_at + interval '5 seconds'
    from build_runs b where b.account_id = i.account_id and b.id = i.build_run_id and i.automatic`)
  await db.execute(sql`
    update breakage_history h set at = case h.kind when 'opened' then k.opened_at when 'fixed' then k.fixed_at else k.last_seen_at end
    from breakages k where k.account_id = h.account_id and k.id = h.breakage_id`)
}
