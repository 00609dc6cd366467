import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'
import type { SearchKind } from './records.ts'
import { folded, isMatch, mayMatch, type Query, termsFor, termsOf } from './text.ts'

/** The fields of a record that can be searched by name, as written; when shown, an author is a name and a path has no address. */
export interface Fields {
  author: string[]
  path: string[]
}
type FieldName = keyof Fields
export type FieldQueries = Partial<Record<FieldName, Query>>

const SHOWN: Record<FieldName, (text: string) => string> = { author: scrubAuthor, path: scrub }

/** The maximum number of files of a change that are read. */
const PATHS_MAX = sql`10000`

interface Source {
  table: string
  author: Sql
  path: Sql
}

const sources: Partial<Record<SearchKind, Source>> = {
  build: {
    table: 'build_runs',
    author: sql`array(
      select c.author from changes c where c.account_id = x.account_id and c.project_id = x.project_id
        and c.identifier = any (array[nullif(x.commit_hash, ''), nullif(x.changelist, '')]))`,
    path: sql`array[]::text[]`,
  },
  change: {
    table: 'changes',
    author: sql`array[x.author]`,
    path: sql`array(
      select f ->> 'path' from jsonb_array_elements(case jsonb_typeof(x.files) when 'array' then x.files else '[]' end) f
      where f ->> 'path' is not null limit ${PATHS_MAX})`,
  },
}

/** The fields of these records by id; kinds without fields return nothing. */
export async function readFields(
  db: Database,
  accountId: number,
  kind: SearchKind,
  ids: readonly string[],
): Promise<Map<string, Fields>> {
  const source = sources[kind]
  if (source === undefined || ids.length === 0) return new Map()
  const rows = await db.rows<Fields & { id: string }>(sql`
    select x.id::text as id, ${source.author} as author, ${source.path} as path
    from ${raw(source.table)} x where x.account_id = ${accountId} and x.id = any (${ids}::bigint[])`)
  return new Map(rows.map(({ id, author, path }) => [id, { author, path }]))
}

const tagged = (field: FieldName, term: string) => `${field}:${term}`

/** The search terms of a record's fields. */
export function fieldTerms(fields: Fields): Set<string> {
  const terms = new Set<string>()
  for (const field of Object.keys(SHOWN) as FieldName[])
    for (const text of fields[field]) for (const term of termsOf(folded(SHOWN[field](text)))) terms.add(tagged(field, term))
  return terms
}

/** Terms that every match must have. */
export const fieldTermsFor = (asked: FieldQueries): string[] =>
  (Object.entries(asked) as [FieldName, Query][]).flatMap(([field, query]) =>
    termsFor(query, false).map((term) => tagged(field, term)),
  )

/** Whether each requested field has a text with all the words. */
export const fieldsMatch = (fields: Fields | undefined, asked: FieldQueries): boolean =>
  (Object.entries(asked) as [FieldName, Query][]).every(([field, query]) =>
    fields?.[field].some((text) => mayMatch(text, query) && isMatch(folded(SHOWN[field](text)), query)),
  )
