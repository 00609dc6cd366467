import { type Sql, sql } from './database.ts'
import { count, moment } from './page.ts'

/** A list whose rows are wanted that were updated since a time, in the order of the list. */
export interface Updated {
  /** Table and alias, such as `tasks t`. */
  from: Sql
  project: Sql
  updated: Sql
  /** The order of the list, newest first: a time and an id. */
  at: Sql
  id: Sql
  since: string
  /** Further conditions over columns that the table's `…_updated_since` index holds. */
  where: Sql
  take: number
}

/** So few are sorted at once; so many rows are walked when there are more. */
const FEW = 2_000
const WALKED = 2_000

/**
 * Keys (`at`, `id`) of the first rows. How many were updated, and where they stand in the list, no statistics tell, so it looks: a few
 * are sorted; of many, a walk from the newest meets enough at once, or they are all old and their index range is sorted.
 */
export function updatedKeys({ from, project, updated, at, id, since, where, take }: Updated): Sql {
  const match = sql`${project} and ${updated} >= ${moment(since)} and ${where}`
  const newest = sql`order by ${at} desc, ${id} desc`
  return sql`
    with few as materialized (select ${at} as at, ${id} as id from ${from} where ${match} limit ${count(FEW + 1)}),
    many as materialized (select count(*) > ${count(FEW)} as yes from few),
    walked as materialized (
      select w.at, w.id from (
        select ${at} as at, ${id} as id, ${updated} as updated from ${from} where ${project} and ${where} ${newest} limit ${count(WALKED)}) w
      where w.updated >= ${moment(since)} and (select yes from many) order by w.at desc, w.id desc limit ${count(take)})
    select k.at, k.id from (
      select at, id from few where not (select yes from many)
      union all
      select at, id from walked where (select count(*) from walked) = ${count(take)}
      union all
      -- The barrier keeps the order out of it: else the walk that has just failed would be tried to its end.
      select at, id from (select ${at} as at, ${id} as id from ${from} where ${match} offset 0) ranged
      where (select yes from many) and (select count(*) from walked) < ${count(take)}
    ) k order by k.at desc, k.id desc limit ${count(take)}`
}
