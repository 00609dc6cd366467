import type pg from 'pg'
import type { MigrationSession } from '../migration-session.ts'
import { type NarrowTable, wide } from './narrow.ts'

/** So many pages of a table are filled in one transaction: rows that others write wait for it only that long. */
const PAGES = 64

/** A second column beside each narrow one, the same number in both, whoever writes. */
export async function addWideColumns({ transaction }: MigrationSession, { table, columns }: NarrowTable) {
  await transaction(table, async (client) => {
    const added = columns.map(({ name }) => `add column if not exists ${wide(name)} bigint`)
    await client.query(`alter table ${table} ${added.join(', ')}`)
    const copies = columns.map(({ name }) => `new.${wide(name)} := new.${name};`)
    await client.query(`
      create or replace function ${wide(table)}() returns trigger language plpgsql as $$ begin ${copies.join(' ')} return new; end $$`)
    await client.query(`
      create or replace trigger ${wide(table)} before insert or update on ${table} for each row execute function ${wide(table)}()`)
  })
}

/** Rows from before the trigger. Those that are filled are passed over, so that an interrupted run is soon where it was. */
export async function fillWideColumns({ client, transaction }: MigrationSession, { table, columns }: NarrowTable) {
  const pages = await pagesOf(client, table)
  const copies = columns.map(({ name }) => `${wide(name)} = ${name}`).join(', ')
  const differing = columns.map(({ name }) => `${wide(name)} is distinct from ${name}`).join(' or ')
  for (let page = 0; page < pages; page += PAGES)
    await transaction(table, (client) =>
      client.query(
        `update ${table} set ${copies} where ctid >= '(${page},0)' and ctid < '(${page + PAGES},0)' and (${differing})`,
      ),
    )
}

async function pagesOf(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ pages: number }>(
    `select (pg_relation_size(to_regclass($1)) / current_setting('block_size')::integer)::float8 as pages`,
    [table],
  )
  return rows[0]!.pages
}

/** PostgreSQL itself makes sure that both columns of every row are the same; the columns then change places without a further look. */
export async function proveWideColumns({ client, transaction }: MigrationSession, { table, columns }: NarrowTable) {
  const name = `${table}_widened`
  const { rows } = await client.query<{ valid: boolean }>(
    'select convalidated as valid from pg_constraint where conrelid = to_regclass($1) and conname = $2',
    [table, name],
  )
  const equal = columns.map((column) =>
    column.required
      ? `${wide(column.name)} is not null and ${wide(column.name)} = ${column.name}`
      : `${wide(column.name)} is not distinct from ${column.name}`,
  )
  if (rows.length === 0)
    await transaction(table, (client) =>
      client.query(`alter table ${table} add constraint ${name} check (${equal.join(' and ')}) not valid`),
    )
  if (rows[0]?.valid) return
  await transaction(table, (client) => client.query(`alter table ${table} validate constraint ${name}`))
  // A table that was empty when it was analyzed is planned for as such, however much comes: it stays one of unknown size.
  if ((await pagesOf(client, table)) === 0) return
  await transaction(table, (client) =>
    client.query(`analyze ${table} (${columns.map((column) => wide(column.name)).join(', ')})`),
  )
}

export interface NarrowIndex {
  name: string
  definition: string
  /** The constraint that it stands for. */
  constraint: 'primary key' | 'unique' | null
}

/** Indexes that hold a narrow column or name one in their condition. */
export async function findIndexes(client: pg.Client, { table, columns }: NarrowTable): Promise<NarrowIndex[]> {
  const { rows } = await client.query<NarrowIndex>(
    `select c.relname as name, pg_get_indexdef(c.oid) as definition,
       case k.contype when 'p' then 'primary key' when 'u' then 'unique' end as constraint
     from pg_index i join pg_class c on c.oid = i.indexrelid
     left join pg_constraint k on k.conindid = c.oid and k.contype in ('p', 'u')
     where i.indrelid = to_regclass($1) and (i.indkey::smallint[] && $2::smallint[] or exists (
       select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
         and d.refobjid = i.indrelid and d.refobjsubid = any ($2::smallint[])))
     order by 1`,
    [table, columns.map(({ place }) => place)],
  )
  return rows
}

/** The same index over the wide columns, beside the one that is used. */
export async function buildWideIndexes(session: MigrationSession, narrow: NarrowTable) {
  for (const { name, definition } of await findIndexes(session.client, narrow)) {
    const { rows } = await session.client.query<{ valid: boolean }>(
      'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
      [wide(name)],
    )
    if (rows[0]?.valid) continue
    if (rows.length > 0) await session.concurrently(narrow.table, `drop index concurrently ${wide(name)}`)
    await session.concurrently(narrow.table, widened(definition, narrow))
  }
}

/** `CREATE INDEX changes_newest ON public.changes USING btree (project_id, id)` → `… CONCURRENTLY changes_newest_wide … (project_id, id_wide)` */
function widened(definition: string, { columns }: NarrowTable): string {
  const [, head, name, on, body] = /^(CREATE (?:UNIQUE )?INDEX) (\S+) (ON .*?) (USING .*)$/s.exec(definition)!
  const names = new RegExp(`\\b(${columns.map((column) => column.name).join('|')})\\b`, 'g')
  return `${head} CONCURRENTLY ${wide(name!)} ${on} ${body!.replace(names, (column) => wide(column))}`
}
