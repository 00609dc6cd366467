import type { Static } from 'typebox'
import type { TestOwners } from '../../contract/routes/test-shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { readRules } from '../projects/path-owner-rules.ts'
import { membersCalled } from '../projects/path-owners.ts'

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
    select path_owners as rules from projects where account_id = ${project.account_id} and id = ${project.project_id}`))!
  const ruleOf = readRules(rules)
  const named = cases.map((row) => ({
    row,
    texts: ruleOf({ file: row.file, names: [row.suite, row.class, row.name] })?.owners ?? [],
  }))
  const members = await membersCalled(db, project, [...new Set(named.flatMap(({ texts }) => texts))])
  const ownerOf = (text: string): Owners[number] => {
    const user_id = members.get(text)
    return user_id === undefined ? { user_id: null, text } : { user_id, text: null }
  }
  return named.map(({ row, texts }) => ({ ...row, owners: texts.map(ownerOf) }))
}
