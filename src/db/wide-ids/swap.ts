import type pg from 'pg'
import type { MigrationSession } from '../migration-session.ts'
import { findIndexes } from './fill.ts'
import { type NarrowColumn, type NarrowTable, wide } from './narrow.ts'

interface Dependent {
  table: string
  name: string
  definition: string
}

/**
 * The wide columns take the place of the narrow ones, in all tables at once, and nothing is read for it. Nodes of the version before have
 * prepared statements that return narrow ids, which PostgreSQL would refuse from now on: their connections end, as at a restart of the
 * server, and they prepare anew. What they were asked in that moment they answer with 503.
 */
export const swapColumns = (session: MigrationSession, tables: NarrowTable[]) =>
  session.transaction('wide ids', async (client) => {
    const keys = await findKeys(client, tables)
    const triggers = await findTriggers(client, tables)
    const locked = [...new Set([...tables.map(({ table }) => table), ...keys.map(({ table }) => table)])]
    await lockTables(client, locked)
    const statements = [
      ...keys.map(({ table, name }) => `alter table ${table} drop constraint ${name}`),
      ...triggers.map(({ table, name }) => `drop trigger ${name} on ${table}`),
    ]
    for (const { table, columns } of tables) {
      statements.push(`drop trigger ${wide(table)} on ${table}`, `drop function ${wide(table)}()`)
      const required = columns.filter((column) => column.required)
      // Before the check goes that spares it the look at every row.
      if (required.length > 0)
        statements.push(
          `alter table ${table} ${required.map(({ name }) => `alter column ${wide(name)} set not null`).join(', ')}`,
        )
      const sequences: string[] = []
      for (const column of columns) if (column.identity) sequences.push(...(await continueSequence(client, table, column)))
      statements.push(
        `alter table ${table} ${columns.map(({ name }) => `drop column ${name}`).join(', ')}`,
        ...columns.map(({ name }) => `alter table ${table} rename column ${wide(name)} to ${name}`),
        ...sequences,
        ...(await findIndexes(client, { table, columns })).map(({ name, constraint }) =>
          constraint === null
            ? `alter index ${wide(name)} rename to ${name}`
            : `alter table ${table} add constraint ${name} ${constraint} using index ${wide(name)}`,
        ),
      )
    }
    statements.push(
      RENAME_NOT_NULL,
      ...triggers.map(({ definition }) => definition),
      ...keys.map(({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition} not valid`),
    )
    await client.query(statements.join(';\n'))
    await endSessions(client, session.pooled)
  })

/** From version 18 on `not null` is a constraint with the name of its column. */
const RENAME_NOT_NULL = `
  do $$
  declare named record;
  begin
    for named in select conrelid::regclass as relation, conname as name from pg_constraint
      where contype = 'n' and connamespace = current_schema()::regnamespace and conname like '%\\_wide\\_not\\_null' loop
      execute format('alter table %s rename constraint %I to %I', named.relation, named.name,
        replace(named.name, '_wide_not_null', '_not_null'));
    end loop;
  end $$`

/** Foreign keys were taken over without a look at the rows; an interrupted run may have left some like that. */
export async function validateKeys({ client, transaction }: MigrationSession) {
  const { rows } = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'f' and not convalidated and connamespace = current_schema()::regnamespace`,
  )
  for (const { table, name } of rows)
    await transaction(name, (client) => client.query(`alter table ${table} validate constraint ${name}`))
}

/** Whoever asks while it waits is refused once it is done: it gives up soon, and comes again. For all tables, not for each. */
const LOCK_TIMEOUT_MS = 100

async function lockTables(client: pg.Client, tables: string[]) {
  await client.query(`set local statement_timeout = ${LOCK_TIMEOUT_MS}`)
  await client.query(`lock table ${tables.join(', ')} in access exclusive mode`).catch((error) => {
    throw error.code === '57014' ? Object.assign(error, { code: '55P03' }) : error
  })
  await client.query('set local statement_timeout = 0')
}

const placesOf = (tables: NarrowTable[]) => [
  tables.flatMap(({ table, columns }) => columns.map(() => table)),
  tables.flatMap(({ columns }) => columns.map(({ place }) => place)),
]

/** Foreign keys from or to a narrow column. */
async function findKeys(client: pg.Client, tables: NarrowTable[]): Promise<Dependent[]> {
  const { rows } = await client.query<Dependent>(
    `select distinct k.conrelid::regclass::text as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
     from unnest($1::text[], $2::smallint[]) n (name, place) join pg_constraint k on k.contype = 'f'
       and (k.conrelid = to_regclass(n.name) and n.place = any (k.conkey) or k.confrelid = to_regclass(n.name) and n.place = any (k.confkey))
     order by 1, 2`,
    placesOf(tables),
  )
  return rows.map((key) => ({ ...key, definition: key.definition.replace(/ NOT VALID$/, '') }))
}

/** Triggers whose condition names a narrow column. */
async function findTriggers(client: pg.Client, tables: NarrowTable[]): Promise<Dependent[]> {
  const { rows } = await client.query<Dependent>(
    `select distinct t.tgrelid::regclass::text as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
     from unnest($1::text[], $2::smallint[]) n (name, place)
     join pg_depend d on d.classid = 'pg_trigger'::regclass and d.refclassid = 'pg_class'::regclass
       and d.refobjid = to_regclass(n.name) and d.refobjsubid = n.place
     join pg_trigger t on t.oid = d.objid and not t.tgisinternal order by 1, 2`,
    placesOf(tables),
  )
  return rows
}

/** A column's own sequence goes with it: the next one of the same name counts on. */
async function continueSequence(client: pg.Client, table: string, { name, identity }: NarrowColumn): Promise<string[]> {
  const { rows: named } = await client.query<{ sequence: string }>(`select pg_get_serial_sequence($1, $2) as sequence`, [
    table,
    name,
  ])
  const { sequence } = named[0]!
  // Takes a lock that keeps others from the next number.
  await client.query(`alter sequence ${sequence} increment by 1`)
  const { rows } = await client.query<{ last: string; used: boolean }>(
    `select last_value as last, is_called as used from ${sequence}`,
  )
  const { last, used } = rows[0]!
  return [
    `alter table ${table} alter column ${name} add generated ${identity} as identity (sequence name ${sequence})`,
    `select setval('${sequence}', ${last}, ${used})`,
  ]
}

/** Of the service, in this database; what migrates or keeps a server stays. Behind a pooler an idle connection is nobody's. */
async function endSessions(client: pg.Client, pooled: boolean) {
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and pg_has_role(usesysid, 'usage')
       and (application_name ~ '^goldmaster(?! (migrate|keeper|backup|probe))' or $1 and application_name ~ '^goldmaster migrate' and state = 'idle')`,
    [pooled],
  )
}
