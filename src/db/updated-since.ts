import { empty, type Sql, sql } from './database.ts'
import { inlineInstant, inlineInteger } from './page.ts'

/** Columns of a list's rows, as in its statement. */
interface UpdatedColumns {
  at: Sql
  id: Sql
  updated: Sql
}

/** A further condition on the rows of a list. */
export type Within = (columns: UpdatedColumns) => Sql

/** A list of rows that were updated since a time, in the order of the list. */
interface Updated {
  table: Sql
  project: Sql
  /** The order of the list, newest first: a time and an id, columns of the table. */
  at: Sql
  id: Sql
  since: string
  /** Conditions over columns in the table's `…_updated_since` index. */
  where: Sql
  /** Whether `list` has further conditions. */
  filtered: boolean
  /** The list itself: rows of the table in its order that meet a condition, one page by default. */
  list: (within: Within, take?: number) => Sql
  /** The same for a few rows, whichever index the list uses. */
  few: (within: Within) => Sql
  take: number
}

/** Up to this many are read one by one. */
const FEW = 500

/**
 * Statistics don't show how many rows were updated and where they are in the list, so it checks. A few are sorted; so are a few that the
 * other filters leave. For many, the list is read week by week, and weeks without updates are skipped: their latest update is first in the
 * `…_weeks` index.
 */
export function updatedRows({ table, project, at, id, since, where, filtered, list, few, take }: Updated): Sql {
  const time = inlineInstant(since)
  const limit = inlineInteger(take)
  const newest = sql`order by ${at} desc, ${id} desc`
  const week = sql`date_trunc('week', ${at} at time zone 'UTC')`
  const latest = (below: Sql) => sql`
    select ${week} as week, updated_at as latest from ${table} where project_id = ${project} ${below} order by 1 desc, 2 desc limit 1`
  return sql`
    with recursive few as materialized (
      select ${at}, ${id} from ${table} where project_id = ${project} and updated_at >= ${time} and ${where} limit ${inlineInteger(FEW + 1)}),
    many as materialized (select count(*) > ${inlineInteger(FEW)} as yes from few),
    ${filtered ? sql`left_over as materialized (select ${id} from (${list(() => sql`true`, FEW + 1)}) l where (select yes from many)),` : empty}
    long as materialized (
      select ${filtered ? sql`(select count(*) > ${inlineInteger(FEW)} from left_over) and` : empty} (select yes from many) as yes),
    chosen as materialized (
      select ${id} from (select * from few where not (select yes from many) ${filtered ? empty : sql`${newest} limit ${limit}`}) f
      ${filtered ? sql`union all select ${id} from left_over where not (select yes from long)` : empty}),
    weeks as (
      (${latest(sql``)})
      union all
      select next.* from weeks w cross join lateral (${latest(sql`and ${week} < w.week`)}) next)
    select * from (
      select * from (${few(
        (row) => sql`${row.id} = any (array(select ${id} from chosen)) and ${row.updated} + interval '0' >= ${time}`,
      )}) one_by_one
      union all
      -- In the order of the weeks, and no further than needed: a join that depends on each row is a loop.
      select * from (
        select listed.* from weeks w cross join lateral (${list(
          // The sum prevents the use of the index of updates, which would be read again for every week.
          (row) => sql`${row.at} >= w.week at time zone 'UTC' and ${row.at} < (w.week + interval '7 days') at time zone 'UTC'
            and ${row.updated} + interval '0' >= ${time}`,
        )}) listed
        where w.latest >= ${time} and (select yes from long) limit ${limit}) by_week
    ) found ${newest}`
}

/** For lists with few candidates anyway. */
export const updatedAmong =
  (since: string): Within =>
  (row) =>
    sql`${row.updated} >= ${inlineInstant(since)}`
