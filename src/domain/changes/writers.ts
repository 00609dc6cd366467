import { isBot, originOf } from '../../contract/change-origin.ts'
import { CHANGE_SOURCES } from '../../contract/sets.ts'
import { type Database, join, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey, RecordKey } from '../../db/project-key.ts'
import { COUNTS } from '../accounts/connected-accounts.ts'

/** The author of a change, whoever integrated it. */
export interface Writer {
  /** Their name in the tool; empty for several authors or a bot. */
  name: string
  user_id: number | null
  /** Whether another person or a bot integrated it. */
  carried: boolean
}

interface Row {
  id: number
  identifier: string
  author: string
  user_id: number | null
  description: string
  /** Whether an integration of the project lists the author as a merge account. */
  merges: boolean
}

const SOURCES = join(Object.entries(CHANGE_SOURCES).map(([provider, source]) => sql`(${provider}, ${source})`))

/** The member whose confirmed address or name in version control matches an author; nobody if several have that name. */
const memberCalled = (author: Sql, accountId: Sql, sourceType: Sql) => sql`coalesce(
  (select u.id from users u join account_members m on m.user_id = u.id and m.account_id = ${accountId}
    where u.email_verified and lower(u.email) = lower(substring(${author} from '[^\\s<>()"]+@[^\\s<>()"]+'))),
  (select min(a.user_id) from connected_accounts a join account_members m on m.user_id = a.user_id and m.account_id = ${accountId}
    where lower(a.uid) = lower(${author}) and ${COUNTS} and (a.provider, ${sourceType}) in (${SOURCES})
    having count(distinct a.user_id) = 1))`

/** The submitter of a change `c`: the user linked by its tool, otherwise the matching member. */
const AUTHOR = sql`coalesce(c.author_user_id, ${memberCalled(sql`c.author`, sql`c.account_id`, sql`c.source_type`)})`

const MERGES = sql`exists (select from integrations i where i.id = c.integration_id
  and lower(c.author) = any (regexp_split_to_array(lower(i.config ->> 'merge_accounts'), '\\s*[,\\n]\\s*')))`

const COLUMNS = sql`c.id, c.identifier, c.author, ${AUTHOR} as user_id, c.description, ${MERGES} as merges`

/** The source of an integrated change may be an integration too: main to release to hotfix. */
const HOPS_MAX = 4

/** The author of each of these changes. */
export async function writersOf(db: Database, project: ProjectKey, ids: readonly number[]): Promise<Map<number, Writer>> {
  const rows = await db.rows<Row>(
    sql`select ${COLUMNS} from changes c where c.account_id = ${project.account_id} and c.project_id = ${project.project_id}
      and c.id = any (${ids}::bigint[])`,
  )
  const known = new Map(rows.map((row) => [row.identifier, row]))
  let wanted = rows
  for (let hop = 0; hop < HOPS_MAX; hop++) {
    const missing = [...new Set(wanted.flatMap(({ description }) => originOf(description).sources))].filter(
      (name) => !known.has(name),
    )
    if (missing.length === 0) break
    wanted = await db.rows<Row>(
      sql`select ${COLUMNS} from changes c where c.account_id = ${project.account_id} and c.project_id = ${project.project_id}
        and c.identifier = any (${missing}::text[])`,
    )
    for (const row of wanted) known.set(row.identifier, row)
  }
  const found = new Map<number, Writer>()
  for (const row of rows) found.set(row.id, await writerOf(db, project, row, known, HOPS_MAX))
  return found
}

/** Several authors, or a bot. */
const NOBODY: Writer = { name: '', user_id: null, carried: true }

async function writerOf(db: Database, project: ProjectKey, row: Row, known: Map<string, Row>, hops: number): Promise<Writer> {
  const { sources, author, coAuthors } = originOf(row.description)
  const origins = hops === 0 ? [] : sources.flatMap((name) => known.get(name) ?? []).filter(({ id }) => id !== row.id)
  if (origins.length > 0) {
    const writers: Writer[] = []
    for (const origin of origins) writers.push(await writerOf(db, project, origin, known, hops - 1))
    const [first] = writers
    const isOne =
      origins.length === sources.length && writers.every((one) => one.name === first!.name && one.user_id === first!.user_id)
    return isOne ? { ...first!, carried: true } : NOBODY
  }
  if (author !== undefined)
    return { name: author, user_id: await memberNamed(db, { account_id: project.account_id, id: row.id }, author), carried: true }
  if (!isBot(row.author) && !row.merges) return { name: row.author, user_id: row.user_id, carried: false }
  const [first, ...others] = coAuthors
  if (first === undefined || others.length > 0) return NOBODY
  return { name: first, user_id: await memberNamed(db, { account_id: project.account_id, id: row.id }, first), carried: true }
}

const memberNamed = async (db: Database, change: RecordKey, name: string): Promise<number | null> =>
  (
    await db.one<{ user_id: number | null }>(sql`
      select ${memberCalled(sql`${name}::text`, sql`c.account_id`, sql`c.source_type`)} as user_id from changes c
      where c.account_id = ${change.account_id} and c.id = ${change.id}`)
  )?.user_id ?? null
