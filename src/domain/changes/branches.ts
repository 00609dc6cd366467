import { BRANCH_MAX } from '../../contract/limits.ts'
import { type Database, reserveIds, type Sql, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { lineOf, type Repository, registering, spelled } from '../branches/lines.ts'

/** A change on a branch, as reported. */
export interface Placement {
  identifier: string
  /** In any spelling. */
  branch: string
  /** Its position if the tool numbers its changes. */
  tool_position: number | null
  /** The previous change on this branch, if the tool reports it. */
  previous: string | null
  repository?: Repository | undefined
}

/**
 * Puts the changes in `written` on branches, in the order given. A change keeps its first position. `late`: those whose successors arrived
 * earlier. `history`: they arrived when they were made.
 */
export function placing({ account_id, project_id }: ProjectKey, placements: readonly Placement[], history = false): Sql {
  const owner = { account_id, project_id }
  const fitting = placements
    .map(({ identifier, tool_position, previous, ...told }) => ({ identifier, tool_position, previous, ...spelled(told) }))
    .filter(({ told, qualified }) => told !== '' && qualified.length <= BRANCH_MAX)
    .map((one, place) => ({ ...one, place }))
  // The successors of each change are looked up one by one in the index: for a list PostgreSQL before 17 would read a young table as a
  // whole, not knowing that it has grown. Changes of the same push are matched by name and branch at once: by branch alone, a push of
  // thousands would compare each with each.
  return sql`
    placements as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(fitting)}::jsonb)
        as t (identifier text, told text, repository text, qualified text, tool_position bigint, previous text, place integer)),
    lines as materialized (
      select t.told, t.repository, ${lineOf(owner)} as name from (select distinct told, repository, qualified from placements) t),
    ${registering(owner)},
    placed as (
      insert into change_branches (account_id, project_id, branch, told, change_id, tool_position, previous, timestamp, arrived_at)
      select ${account_id}, ${project_id}, l.name, nullif(l.told, l.name), w.id, t.tool_position, t.previous, w.timestamp,
        ${history ? sql`w.timestamp` : sql`goldmaster_now()`}
      from placements t join lines l on l.told = t.told and l.repository = t.repository
      join written w on w.identifier = t.identifier
      order by t.place
      on conflict (account_id, project_id, branch, change_id) do update set orphaned_at = null, doubted_at = null
        where change_branches.orphaned_at is not null or change_branches.doubted_at is not null
      returning branch, change_id, previous, position),
    standing as materialized (select p.branch, p.position, w.identifier from placed p join written w on w.id = p.change_id),
    late as (
      select p.branch, p.identifier from standing p, lateral (
        select position from change_branches s
        where s.account_id = ${account_id} and s.project_id = ${project_id} and s.branch = p.branch and s.previous = p.identifier
        offset 0) s
      where s.position < p.position
      union all
      select p.branch, p.identifier from standing p
      join placed s on s.branch = p.branch and s.previous = p.identifier and s.position < p.position)`
}

/** A push that arrived before its predecessor is moved behind it when that one arrives. */
export async function reorder(db: Database, owner: ProjectKey, late: readonly Chain[]) {
  for (const chain of late) await moveBehind(db, owner, chain)
}

export interface Chain {
  branch: string
  /** The change that the chain follows. */
  identifier: string
}

/** How many changes are moved at most: a push that arrives long after its time is not worth more. */
const CHAIN_MAX = 10_000

/** Moves the chain of successors of a change to the end of the branch, in order. Citus takes no recursion in a statement that writes. */
async function moveBehind(db: Database, { account_id, project_id }: ProjectKey, chain: Chain) {
  const ofBranch = sql`p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${chain.branch}`
  const ids = await db.rows<{ id: number }>(sql`
    with recursive chain as (
      select p.id, c.identifier, 1 as depth, array[p.id] as path
      from change_branches p join changes c on c.account_id = ${account_id} and c.id = p.change_id
      where ${ofBranch} and p.previous = ${chain.identifier}
      union all
      select p.id, c.identifier, chain.depth + 1, chain.path || p.id from chain
      join change_branches p on ${ofBranch} and p.previous = chain.identifier
      join changes c on c.account_id = ${account_id} and c.id = p.change_id
      where chain.depth < ${CHAIN_MAX} and p.id <> all (chain.path))
    select id from chain order by depth`)
  await placeAtEnd(
    db,
    account_id,
    ids.map(({ id }) => id),
  )
}

/** Puts changes on their branches behind all others, in the given order. */
async function placeAtEnd(db: Database, accountId: number, ids: readonly number[]) {
  const places = await reserveIds(db, 'change_branches', ids.length)
  await db.execute(sql`
    update change_branches p set tool_position = ordered.place * 65536
    from unnest(${ids}::bigint[], ${places}::bigint[]) ordered (id, place)
    where p.account_id = ${accountId} and p.id = ordered.id`)
}

/** Loaded changes are put on their branches by time, whatever the order of the file. */
export async function orderByTime(db: Database, accountId: number) {
  const unordered = await db.rows<{ id: number }>(sql`
    select id from change_branches where account_id = ${accountId} and tool_position is null order by arrived_at, id`)
  for (let start = 0; start < unordered.length; start += ORDERED_AT_ONCE)
    await placeAtEnd(
      db,
      accountId,
      unordered.slice(start, start + ORDERED_AT_ONCE).map(({ id }) => id),
    )
}
const ORDERED_AT_ONCE = 20_000

/**
 * The branches of a change in the API, in the order in which it was first seen there; for a change that is on none any more, its former
 * ones.
 */
export const branchesOf = sql`(
  select coalesce(json_agg(coalesce(p.told, p.branch) order by p.id) filter (where p.orphaned_at is null),
    json_agg(coalesce(p.told, p.branch) order by p.id), '[]')
  from change_branches p where p.account_id = c.account_id and p.change_id = c.id)`
