import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { readSizes } from '../../measures/read-sizes.ts'

/** Stores the largest assets that the log of a passed build lists. */
export async function storeSizes(db: Database, { account_id, id }: RecordKey, log: string) {
  const sizes = readSizes(log)
  if (sizes.length === 0) {
    await db.execute(sql`delete from build_sizes where account_id = ${account_id} and build_run_id = ${id}`)
    return
  }
  await db.execute(sql`
    insert into build_sizes (account_id, build_run_id, sizes) values (${account_id}, ${id}, ${JSON.stringify(sizes)}::jsonb)
    on conflict (account_id, build_run_id) do update set sizes = excluded.sizes`)
}
