import pg from 'pg'
import { SCOPES } from '../../../src/contract/sets.ts'
import { openDatabase, sql } from '../../../src/db/database.ts'
import { setPassword } from '../../../src/domain/accounts/users.ts'
import { hashOf, newToken, sealedIn, Vault } from '../../../src/domain/privacy/secrets.ts'
import { indexAll } from '../../../src/domain/search/index.ts'
import { TIMES } from '../rows.ts'
import { SECRET } from '../servers.ts'
import { addStudio } from '../studios.ts'
import { type GrownTable, grownInserts, momentsBefore, shares } from './rows.ts'

export interface Grown {
  token: string
  email: string
  password: string
  /** The times for filters, by their names in `filter-cases.ts`. */
  moments: Record<string, string>
}

const PASSWORD = 'a password of the benchmark'
const NEIGHBOURS = ['Fox', 'Hare']
const NEIGHBOUR_ROWS = 200
/** The minimum number of rows of each table: fewer are sorted where more are read in order. */
const LEAST = 600
/** Rows indexed for search, per kind: the index has its own benchmark. */
const SEARCHABLE = 500

/**
 * One studio with the given number of tasks and everything else in proportion, of which the last months have `recent`; two small ones next
 * to it.
 */
export async function fillGrown(url: string, count: number, recent: number): Promise<Grown> {
  const times = momentsBefore(Date.now())
  const moments = Object.fromEntries(Object.entries(TIMES).map(([name, moment]) => [moment, times[name as keyof typeof TIMES]]))
  const placed = (text: string) => Object.entries(moments).reduce((whole, [from, to]) => whole.replaceAll(from, to), text)
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' })
  await client.connect()
  const token = newToken()
  try {
    await client.query(`set maintenance_work_mem = '256MB'; set work_mem = '64MB'; set synchronous_commit = off`)
    await client.query(PEOPLE)
    const vault = new Vault(SECRET)
    for (const [table, column] of SEALED)
      await client.query(`update ${table} set ${column} = $1 where id = 1`, [vault.seal('secret', sealedIn(table, 1, column))])
    await client.query(
      `insert into api_tokens (user_id, name, prefix, hash, scopes, created_via) values (1, 'bench', $1, $2, $3, 'web')`,
      [token.slice(0, 8), hashOf(token), SCOPES],
    )
    // The rows are consistent by construction, and need no triggers.
    await client.query('set session_replication_role = replica')
    for (const table of Object.keys(shares) as GrownTable[]) {
      const [rows, newest] = [count, recent].map((size) => Math.max(Math.round(size * shares[table]), Math.min(size, LEAST)))
      await fillTable(client, table, placed(grownInserts[table](rows!, newest!)))
    }
    for (const kind of ['task', 'change', 'build'] as const)
      await client.query(`
        insert into search_queue (account_id, kind, record_id)
        select 1, '${kind}', id::text from ${kind === 'build' ? 'build_runs' : `${kind}s`} where project_id = 1 order by id desc limit ${SEARCHABLE}`)
  } finally {
    await client.end()
  }
  await settle(url)
  return { token, email: 'person1@bench.example', password: PASSWORD, moments }
}

const SEALED = [
  ['integrations', 'token_sealed'],
  ['destinations', 'secret_sealed'],
] as const

const PEOPLE = `
  insert into accounts (id, name, plan, payment_method) values (1, 'Bench Studio', 'team', true);
  insert into users (id, email, name, operator) select i, 'person' || i || '@bench.example', 'Person ' || i, i = 1 from generate_series(1, 3) i;
  insert into account_members (account_id, user_id, role) select 1, i, 'owner' from generate_series(1, 3) i;
  insert into projects (id, account_id, name, engine) values (1, 1, 'Harbour', 'unreal'), (2, 1, 'Attic', 'unity');
  insert into integrations (id, account_id, project_id, provider, token_hash, token_sealed) values (1, 1, 1, 'jenkins', sha256('x'), '');
  insert into destinations (id, account_id, kind, name, url, status)
  values (1, 1, 'webhook', '', 'https://hook.example/', 'paused'), (2, 1, 'discord', 'builds', '', 'paused')`

/** Their rows have explicit numbers. */
const COUNTED: readonly GrownTable[] = ['tasks', 'changes', 'build_runs', 'breakages', 'deployments']

/** Indexes are built after the rows: several times faster. */
async function fillTable(client: pg.Client, table: GrownTable, insert: string) {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not exists (select from pg_constraint where conindid = indexrelid)`,
    [table],
  )
  await client.query(`alter table ${table} set (autovacuum_enabled = off)`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await client.query(insert)
  for (const { definition } of rows) await client.query(definition)
  const column = table === 'deployments' ? 'number' : 'id'
  if (COUNTED.includes(table))
    await client.query(
      `select setval(pg_get_serial_sequence('${table}', '${column}'), (select max(${column}) + 1 from ${table}))`,
    )
}

/** The neighbors, the person's password, the search index; then statistics of everything. */
async function settle(url: string) {
  const db = openDatabase(url, { max: 2, statementTimeout: 600_000 })
  try {
    for (const name of NEIGHBOURS) await addStudio(db, name, NEIGHBOUR_ROWS)
    await setPassword(db, 1, PASSWORD)
    await indexAll(db)
    await db.execute(sql`vacuum analyze`)
  } finally {
    await db.close()
  }
}
