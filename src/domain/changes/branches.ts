import { BRANCH_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import { branchKey } from './branch-names.ts'

/** A change on a branch, as it was told. */
export interface Placement {
  change_id: number
  /** In any spelling. */
  branch: string
  /** Its place, where the tool numbers its changes. */
  given: number | null
  /** The change before it on this branch, where the tool tells. */
  follows: string | null
}

/**
 * Puts changes on branches, in the order given. A change stays where it was first put. A push that arrives before the one it follows
 * is moved behind it when that one comes.
 */
export async function place(db: Database, owner: { account_id: number; project_id: number }, placements: readonly Placement[]) {
  const { account_id, project_id } = owner
  const fitting = placements
    .map((one) => ({ ...one, branch: branchKey(one.branch) }))
    .filter(({ branch }) => branch !== '' && branch.length <= BRANCH_MAX)
  if (fitting.length === 0) return
  // A look-up for each: joined, a few changes are found by reading all of them while there are thousands.
  await db.execute(sql`
    insert into change_branches (account_id, project_id, branch, change_id, given, follows, timestamp)
    select ${account_id}, ${project_id}, t.branch, t.change_id, t.given, t.follows,
      (select c.timestamp from changes c where c.id = t.change_id)
    from jsonb_to_recordset(${JSON.stringify(fitting.map((one, place) => ({ ...one, place })))}::jsonb)
      as t (change_id integer, branch text, given bigint, follows text, place integer)
    order by t.place
    on conflict (account_id, project_id, branch, change_id) do update set orphaned_at = null
      where change_branches.orphaned_at is not null`)
  const chained = fitting.filter(({ given }) => given === null)
  if (chained.length === 0) return
  // All that may be followed are looked up together: planned while the table is young, one look-up for each would read the whole branch.
  const late = await db.rows<Chain>(sql`
    with placed as materialized (
      select p.branch, p.position, c.identifier from change_branches p join changes c on c.id = p.change_id
      where p.change_id = any (${chained.map(({ change_id }) => change_id)})),
    followers as materialized (
      select s.branch, s.follows, s.position from change_branches s
      where s.account_id = ${account_id} and s.project_id = ${project_id} and s.follows = any (array(select identifier from placed))
        and s.branch = any (${[...new Set(chained.map(({ branch }) => branch))]}))
    select p.branch, p.identifier from placed p join followers s on s.branch = p.branch and s.follows = p.identifier and s.position < p.position`)
  for (const chain of late) await moveBehind(db, owner, chain)
}

interface Chain {
  branch: string
  /** The change that the chain follows. */
  identifier: string
}

/** Changes that are moved at most: a push that was lost long ago and comes now is not worth more. */
const CHAIN_MAX = 10_000

/** What follows a change, one after the other, goes to the end of the branch in that order. */
const moveBehind = (
  { execute }: Database,
  { account_id, project_id }: { account_id: number; project_id: number },
  chain: Chain,
) =>
  execute(sql`
    with recursive chain as (
      select p.id, c.identifier, 1 as depth from change_branches p join changes c on c.id = p.change_id
      where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${chain.branch} and p.follows = ${chain.identifier}
      union all
      select p.id, c.identifier, chain.depth + 1 from chain
      join change_branches p on p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${chain.branch}
        and p.follows = chain.identifier
      join changes c on c.id = p.change_id
      where chain.depth < ${CHAIN_MAX}) cycle id set repeats using path,
    moved as (select id, nextval(pg_get_serial_sequence('change_branches', 'id')) as place from (select id from chain where not repeats order by depth) c)
    update change_branches p set given = moved.place * 65536 from moved where p.id = moved.id`)

/** Changes that were loaded came to their branches in the order of their times, whatever the order of the file. */
export const orderByTime = (db: Database, accountIds: readonly number[]) =>
  db.execute(sql`
    with ordered as (
      select id, nextval(pg_get_serial_sequence('change_branches', 'id')) as place from (
        select id from change_branches where account_id = any (${accountIds}) and given is null order by arrived_at, id) o)
    update change_branches p set given = ordered.place * 65536 from ordered where p.id = ordered.id`)

/**
 * What the API shows of a change: the branches it is on, in the order in which it was first seen there; of one that is on none any more,
 * those it was on.
 */
export const branchesOf = sql`(
  select coalesce(json_agg(p.branch order by p.id), '[]') from change_branches p
  where p.change_id = c.id and (p.orphaned_at is null or c.orphaned_at is not null))`
