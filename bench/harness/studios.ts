import { type Database, raw, sql } from '../../src/db/database.ts'

export interface BenchStudio {
  user_id: number
  email: string
  project_id: number
}

const TABLES = ['tasks', 'changes', 'build_runs', 'assets', 'approvals', 'deployments']

/** Another account next to the one of `fill`, with one person, one project, and copies of its newest rows. */
export async function addStudio(db: Database, name: string, rows: number): Promise<BenchStudio> {
  const email = `${name.toLowerCase()}@bench.example`
  const made = (await db.one<{ account_id: number; user_id: number; project_id: number }>(sql`
    with a as (insert into accounts (id, name) select max(id) + 1, ${name} from accounts returning id),
      u as (insert into users (id, email, name) select max(id) + 1, ${email}, ${name} from users returning id),
      m as (insert into account_members (account_id, user_id) select a.id, u.id from a, u),
      p as (insert into projects (id, account_id, name) select (select max(id) + 1 from projects), a.id, ${name} from a returning id)
    select a.id as account_id, u.id as user_id, p.id as project_id from a, u, p`))!
  for (const table of rows > 0 ? TABLES : []) await copyRows(db, table, made, rows)
  return { ...made, email }
}

/** Copies the newest rows of the large project to another account; an approval follows its asset by its path. */
async function copyRows(
  db: Database,
  table: string,
  { account_id, project_id }: { account_id: number; project_id: number },
  rows: number,
) {
  const columns = await db.rows<{ name: string }>(sql`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'
      and column_name not in ('id', 'number', 'account_id', 'project_id', 'asset_id', 'build_run_id', 'integration_id', 'last_change_id',
        'user_id', 'approver_user_id', 'created_by_user_id')`)
  const names = columns.map(({ name }) => name)
  const order = raw(table === 'changes' ? 'timestamp' : 'created_at')
  const asset = table === 'approvals'
  await db.execute(sql`
    insert into ${raw(table)} (account_id, project_id, ${raw(names.join(', '))} ${raw(asset ? ', asset_id' : '')})
    select ${account_id}, ${project_id}, ${raw(names.map((name) => `t.${name}`).join(', '))}
      ${raw(asset ? ', (select n.id from assets o join assets n on n.path = o.path where o.id = t.asset_id and n.account_id = ' : '')}
      ${asset ? sql`${account_id})` : sql``}
    from ${raw(table)} t where t.project_id = 1 order by t.${order} desc limit ${rows}`)
}
