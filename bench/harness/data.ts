import pg from 'pg'
import { SCOPES } from '../../src/contract/sets.ts'
import { hashOf, newToken } from '../../src/domain/privacy/secrets.ts'
import { inserts, type Table, TIMES } from './rows.ts'

/** One account, three people, two projects and the given number of rows in the named tables; returns a token with all scopes. */
export async function fill(url: string, count: number, tables: Table[], newest = TIMES.newest): Promise<string> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
  await client.connect()
  const token = newToken()
  try {
    // The rows are consistent by construction: checking foreign keys would take most of the time.
    await client.query(`set session_replication_role = replica; set maintenance_work_mem = '256MB'; set work_mem = '64MB'`)
    await client.query(PEOPLE)
    await client.query(
      `insert into api_tokens (user_id, name, prefix, hash, scopes, created_via) values (1, 'bench', $1, $2, $3, 'web')`,
      [token.slice(0, 8), hashOf(token), SCOPES],
    )
    for (const table of tables) await fillTable(client, table, count, newest)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
  return token
}

const PEOPLE = `
  insert into accounts (id, name) values (1, 'Bench Studio');
  insert into users (id, email, name) select i, 'person' || i || '@bench.example', 'Person ' || i from generate_series(1, 3) i;
  insert into account_members (account_id, user_id) select 1, i from generate_series(1, 3) i;
  insert into projects (id, account_id, name, engine) values (1, 1, 'Harbour', 'unreal'), (2, 1, 'Attic', 'unity')`

/** Indexes are built after the rows: several times faster, and as compact as a rebuilt one. */
async function fillTable(client: pg.Client, table: Table, count: number, newest: string) {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query(inserts[table](count).replaceAll(TIMES.newest, newest))
  for (const { definition } of rows) await client.query(definition)
  const column = table === 'deployments' ? 'number' : 'id'
  if (!['task_labels', 'change_branches', 'assets', 'approvals'].includes(table))
    await client.query(`select setval(pg_get_serial_sequence('${table}', '${column}'), ${count + 1})`)
}
