import { type Database, sql } from '../../src/db/database.ts'
import { registerAll } from '../../src/domain/branches/lines.ts'

interface Placed {
  change_id: number
  /** In any spelling. */
  branch: string
}

/** Puts existing changes on branches, in the order given. */
export async function place(db: Database, placed: readonly Placed[]) {
  const accounts = await db.rows<{ account_id: number }>(sql`
    with placed as (${placing(placed)} returning account_id) select distinct account_id from placed`)
  for (const { account_id } of accounts) await registerAll(db, account_id)
}

const placing = (placed: readonly Placed[]) => sql`
    insert into change_branches (account_id, project_id, branch, change_id)
    select c.account_id, c.project_id, branch_key(t.branch), c.id
    from jsonb_to_recordset(${JSON.stringify(placed.map((one, at) => ({ ...one, at })))}::jsonb) as t (change_id bigint, branch text, at integer)
    join changes c on c.id = t.change_id
    order by t.at
    on conflict do nothing`
