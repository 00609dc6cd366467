import type { MarkGood } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { BranchHealth } from '../../contract/health-shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { scrub } from '../privacy/scrub.ts'
import { branchKey } from './branch-names.ts'
import { type Placed, reference } from './branch-point.ts'

interface Mark extends Placed {
  marked: NonNullable<BranchHealth['marked_good']>
}

/** The newest change of a branch that a person marked as good. */
export const newestMark = (db: Database, { account_id, project_id }: ProjectKey, branch: string): Promise<Mark | undefined> =>
  db.one(sql`
    select p.position, ${reference} as change,
      json_build_object('user_id', m.user_id, 'reason', m.reason, 'marked_at', iso(m.marked_at)) as marked
    from branch_marks m join change_branches p on p.account_id = m.account_id and p.change_id = m.change_id and p.branch = m.branch
      and p.orphaned_at is null
    join changes c on c.account_id = m.account_id and c.id = m.change_id and c.orphaned_at is null
    where m.account_id = ${account_id} and m.project_id = ${project_id} and m.branch = ${branch}
    order by p.position desc limit 1`)

/** The shortest abbreviation of a commit that is accepted. */
const HASH_START = 7

/** Marks a change of a branch as good, whatever its jobs' results, or removes the mark. Returns the name of the branch. */
export async function mark(
  db: Database,
  by: ProjectKey & { user_id: number },
  { branch, change, reason, good = true }: MarkGood,
): Promise<string> {
  const name = await branchCalled(db, by, branch)
  const { account_id, project_id } = by
  const wanted = change.replace(/^CL ?/i, '')
  const found = await db.rows<{ id: number }>(sql`
    select c.id from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
    where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${name} and p.orphaned_at is null
      and c.orphaned_at is null and (c.identifier = ${wanted}
        or ${wanted.length >= HASH_START} and c.source_type = 'GitCommit' and starts_with(c.identifier, ${wanted})) limit 2`)
  if (found.length !== 1)
    throw invalidParameter(
      'change',
      found.length === 0 ? `must be a change on ${name}` : 'begins more than one change; write more of it',
    )
  const { id } = found[0]!
  if (good)
    await db.execute(sql`
      insert into branch_marks (account_id, project_id, branch, change_id, reason, user_id)
      values (${account_id}, ${project_id}, ${name}, ${id}, ${reason ?? ''}, ${by.user_id})
      on conflict (account_id, project_id, branch, change_id)
        do update set reason = excluded.reason, user_id = excluded.user_id, marked_at = goldmaster_now()`)
  else {
    const gone = await db.execute(sql`
      delete from branch_marks where account_id = ${account_id} and project_id = ${project_id} and branch = ${name} and change_id = ${id}`)
    if (gone === 0) throw invalidParameter('change', 'is not marked as good')
  }
  return name
}

/** By its full name, or a stream by its last folder if only one has it. */
async function branchCalled(db: Database, { account_id, project_id }: ProjectKey, branch: string): Promise<string> {
  const key = scrub(branchKey(branch))
  const has = (condition: ReturnType<typeof sql>) => sql`
    select distinct p.branch from change_branches p
    where p.account_id = ${account_id} and p.project_id = ${project_id} and ${condition} limit 2`
  const exact = await db.rows<{ branch: string }>(has(sql`p.branch = ${key}`))
  const found =
    exact.length > 0 || key.startsWith('//')
      ? exact
      : await db.rows<{ branch: string }>(
          has(sql`p.branch like '//%' and right(p.branch, length(${key}) + 1) = '/' || lower(${key})`),
        )
  if (found.length !== 1) throw notFound('Branch')
  return found[0]!.branch
}
