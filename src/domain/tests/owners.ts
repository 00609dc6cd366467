import type { Static } from 'typebox'
import type { TestOwners } from '../../contract/routes/test-shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { COUNTS, KNOWN_THERE } from '../accounts/connected-accounts.ts'
import { ownersBy } from './owner-rules.ts'

type Owners = Static<typeof TestOwners>

interface Case {
  suite: string
  class: string
  name: string
  file: string | null
}

/** The file that the newest failure of a case `c` names. */
export const LAST_FILE = sql`(select f.file from test_failures f
  where f.account_id = c.account_id and f.test_case_id = c.id and f.file <> '' order by f.failed_at desc limit 1) as file`

/** The tests with the owners that the rules of the project name. */
export async function withOwners<Row extends Case>(
  db: Database,
  project: ProjectKey,
  cases: readonly Row[],
): Promise<(Row & { owners: Owners })[]> {
  const { rules } = (await db.one<{ rules: string }>(sql`
    select test_owners as rules from projects where account_id = ${project.account_id} and id = ${project.project_id}`))!
  const ownersOf = ownersBy(rules)
  const named = cases.map((row) => ({ row, texts: ownersOf({ file: row.file, names: [row.suite, row.class, row.name] }) }))
  const members = await membersCalled(db, project, [...new Set(named.flatMap(({ texts }) => texts))])
  const ownerOf = (text: string): Owners[number] => {
    const user_id = members.get(text)
    return user_id === undefined ? { user_id: null, text } : { user_id, text: null }
  }
  return named.map(({ row, texts }) => ({ ...row, owners: texts.map(ownerOf) }))
}

/** The members who see the project by their confirmed address or name in a tool. A name that several have is nobody's. */
async function membersCalled(
  db: Database,
  { account_id, project_id }: ProjectKey,
  texts: readonly string[],
): Promise<Map<string, number>> {
  if (texts.length === 0) return new Map()
  const rows = await db.rows<{ text: string; user_ids: number[] }>(sql`
    select w.text, array_agg(distinct m.user_id) as user_ids
    from unnest(${texts}::text[]) w (text)
    join account_members m on m.account_id = ${account_id}
    join project_access p on p.account_id = m.account_id and p.project_id = ${project_id} and p.user_id = m.user_id
    where exists (select from users u where u.id = m.user_id and u.email_verified and lower(u.email) = lower(w.text))
      or exists (select from connected_accounts a where a.user_id = m.user_id and ${KNOWN_THERE} and ${COUNTS}
        and w.text like '@%' and lower(a.uid) = lower(substr(w.text, 2)))
    group by w.text`)
  return new Map(rows.flatMap(({ text, user_ids: [id, ...others] }) => (others.length === 0 ? [[text, id!]] : [])))
}
