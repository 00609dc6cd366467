import type pg from 'pg'

const OWN = `n.nspname = 'public' and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`

interface Table {
  /** With its schema, quoted if necessary. */
  name: string
  /** Stored columns, without generated ones. */
  columns: string[]
}

/** The tables with the service's data; the header has the applied migrations. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select format('%I.%I', n.nspname, c.relname) as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where ${OWN} and c.relkind = 'r' and c.relname <> 'schema_migrations'
    group by n.nspname, c.relname order by 1`)
  return rows
}

/** Read after the rows: a number used meanwhile is skipped, never used twice. */
export async function sequencesOf(client: pg.Client): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; last: string | null }>(`
    select format('%I.%I', schemaname, sequencename) as name, last_value::text as last from pg_sequences
    where schemaname = 'public'`)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

interface Constraint {
  table: string
  name: string
  definition: string
}

export async function foreignKeysOf(client: pg.Client): Promise<Constraint[]> {
  const { rows } = await client.query<Constraint>(`
    select format('%I.%I', n.nspname, c.relname) as table, quote_ident(conname) as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    where ${OWN} and k.contype = 'f' and k.conparentid = 0`)
  return rows
}

export async function isEmpty(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${OWN} and c.relkind in ('r', 'p', 'v') limit 1`,
  )
  return rows.length === 0
}

/** Other processes of the service that use the database. */
export async function isInUse(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`
    select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and application_name like 'goldmaster%'
    limit 1`)
  return rows.length > 0
}

/** Names are looked up before the first drop: an object dropped by cascade no longer has one. */
const dropAll = (kind: string, catalog: 'pg_class' | 'pg_proc', named: string, condition: string) => `
  names := array(select c.oid::${named}::text from ${catalog} c join pg_namespace n on n.oid = c.${catalog === 'pg_class' ? 'rel' : 'pro'}namespace
    where ${OWN} and ${condition});
  foreach one in array names loop execute format('drop ${kind} if exists %s cascade', one); end loop;`

/** Drops everything of ours; extensions and their objects stay. */
export const empty = (client: pg.Client) =>
  client.query(`
    do $$
    declare
      one text;
      names text[];
    begin
      ${dropAll('table', 'pg_class', 'regclass', "c.relkind in ('r', 'p')")}
      ${dropAll('sequence', 'pg_class', 'regclass', "c.relkind = 'S'")}
      ${dropAll('routine', 'pg_proc', 'regprocedure', 'true')}
    end $$`)
