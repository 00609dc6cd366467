import type pg from 'pg'

/** Ids of records that are many, and columns that hold one without a foreign key. Whatever refers to them is found by its foreign keys. */
const WIDENED = [
  'changes.id',
  'build_runs.id',
  'build_runs.fixed_build_run_id',
  'build_steps.id',
  'investigations.id',
  'tasks.id',
  'task_history.task_id',
  'deleted_tasks.task_id',
]

/** A column of 32 bits that is to have 64. */
export interface NarrowColumn {
  name: string
  /** Its place in the table, as the catalogue counts. */
  place: number
  required: boolean
  /** How it gets its numbers, if by itself. */
  identity: 'always' | 'by default' | null
}

export interface NarrowTable {
  table: string
  columns: NarrowColumn[]
}

/** What is left to widen. */
export async function findNarrow(client: pg.Client): Promise<NarrowTable[]> {
  const { rows } = await client.query<NarrowColumn & { table: string }>(
    `with recursive wanted (relation, place) as (
       select a.attrelid, a.attnum from unnest($1::text[]) w (name)
       join pg_attribute a on a.attrelid = to_regclass(split_part(w.name, '.', 1)) and a.attname = split_part(w.name, '.', 2)
       union
       select k.conrelid, k.conkey[p.i] from wanted w
       join pg_constraint k on k.contype = 'f' and k.confrelid = w.relation
       cross join lateral generate_subscripts(k.confkey, 1) p (i) where k.confkey[p.i] = w.place)
     select c.relname as table, a.attname as name, a.attnum as place, a.attnotnull as required,
       case a.attidentity when 'a' then 'always' when 'd' then 'by default' end as identity
     from wanted w join pg_class c on c.oid = w.relation join pg_attribute a on a.attrelid = w.relation and a.attnum = w.place
     where a.atttypid = 'integer'::regtype order by c.relname, a.attnum`,
    [WIDENED],
  )
  return [...new Set(rows.map(({ table }) => table))].map((table) => ({
    table,
    columns: rows.filter((row) => row.table === table),
  }))
}

/** What the column is called until it takes the place of the narrow one, and the index likewise. */
export const wide = (name: string) => `${name}_wide`
export const isWide = (name: string) => name.endsWith('_wide')
