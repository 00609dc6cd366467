import type { AssetType } from '../../contract/sets.ts'
import { empty, join, type Sql, sql } from '../../db/database.ts'
import { EXAMINED_MAX, inlineInteger, type Key, when } from '../../db/page.ts'
import type { ProjectSql } from '../../db/project-key.ts'
import { canListCheckouts } from './checkouts.ts'

export interface QueueFilters {
  asset_type?: AssetType | undefined
  author?: string | undefined
  branch?: string | undefined
  stage?: string | undefined
  /** Part of the path; a star matches any text. */
  path?: string | undefined
}

interface Page extends QueueFilters {
  cursor?: Key
  limit: number
}

/**
 * What waits for a decision, newest first: a request per asset, and of the files that are parts of one level only the newest. Requests are
 * read from the index of one of the filters. With further filters a bounded number is read per page, and the page says where it ended.
 * Levels are found by jumping from one to the next, so their number counts and not that of their files.
 */
export function waiting(project: ProjectSql, q: Page): { rows: Sql; examined: Sql | undefined } {
  const equal = (['author', 'branch', 'stage', 'asset_type'] as const).flatMap((name) => {
    const value = q[name]
    return value === undefined ? [] : [COLUMNS[name](value)]
  })
  const inPath = when(
    q.path,
    (path) => sql`and exists (
    select from assets a where a.account_id = p.account_id and a.id = p.asset_id and lower(a.path) like ${likeOf(path)})`,
  )
  const [leading, ...others] = equal
  const isBounded = others.length > 0 || q.path !== undefined
  const all = (conditions: readonly Sql[]) => (conditions.length === 0 ? empty : sql`and ${join([...conditions], ' and ')}`)
  const after = when(q.cursor, ({ at, id }) => sql`and (p.created_at, p.id) < (${at}::timestamptz, ${id}::uuid)`)
  const open = sql`from approvals p where p.project_id = ${project.project_id} and p.status = 'pending'`
  const newest = sql`order by p.created_at desc, p.id desc`
  const walk = sql`${open} and p.level is null ${all(leading ? [leading] : [])} ${after} ${newest}`
  const end = sql`select p.created_at, p.id ${walk} offset ${inlineInteger(EXAMINED_MAX - 1)} limit 1`
  const singles = isBounded
    ? sql`select p.* from (select p.* ${walk} limit ${inlineInteger(EXAMINED_MAX)}) p where true ${all(others)} ${inPath}`
    : sql`select p.* ${walk}`
  const take = sql`${newest} limit ${inlineInteger(q.limit + 1)}`
  const levelAfter = (level: Sql) =>
    sql`(select p.level ${open} and p.level is not null and p.level > ${level} order by p.level limit 1)`
  const levels = sql`
    with recursive found (level) as (select ${levelAfter(sql`''`)} union all select ${levelAfter(sql`found.level`)} from found where found.level is not null)
    select p.* from found join lateral (select p.* ${open} and p.level = found.level ${all(equal)} ${inPath} ${newest} limit 1) p on true
    where true ${after} ${isBounded ? sql`and (p.created_at, p.id) >= all (${end})` : empty}`
  return {
    rows: sql`select p.* from ((select p.* from (${singles}) p ${take}) union all (select p.* from (${levels}) p ${take})) p ${take}`,
    examined: isBounded ? sql`select iso(e.created_at) || '|' || e.id from (${end}) e` : undefined,
  }
}

const COLUMNS = {
  author: (value: string) => sql`p.author = ${value}`,
  branch: (value: string) => sql`p.branch = branch_key(${value})`,
  stage: (value: string) => sql`p.approval_stage = ${value}`,
  asset_type: (value: string) => sql`p.asset_type = ${value}`,
}

const likeOf = (path: string) =>
  `%${path
    .trim()
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('...', '*')
    .replace(/\*+/g, '%')}%`

/** What the queue shows of a request `p`: the rule that asks for it, who approved so far, and how many files of a level wait. */
export const details = sql`(
  select json_build_object('author', p.author, 'branch', p.branch, 'rule', p.rule, 'stage_number', p.stage_number, 'sign_offs', p.sign_offs,
    'level', p.level, 'parts', coalesce(l.parts, 1), 'seen_at', iso(coalesce(l.seen_at, p.updated_at)),
    'can_list_checkouts', ${canListCheckouts(sql`p.account_id`, sql`p.asset_id`)})
  from (
    select case when p.level is not null then count(*) end as parts, max(o.updated_at) as seen_at from approvals o
    where p.level is not null and o.project_id = p.project_id and o.level = p.level and o.status = 'pending') l)`
