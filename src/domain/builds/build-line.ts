import { sql } from '../../db/database.ts'

/** A build `b` as an entry of a list. */
export const lineColumns = sql`b.id::text, b.status, b.ci_job_name, b.build_number, iso(b.created_at) as created_at`
