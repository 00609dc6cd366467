import { type Database, sql } from '../../db/database.ts'

/** Identifies the timeline of a database: a restore and a failover to a standby each start a new one. */
const IDENTITY = sql`(
  select concat_ws('/', system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
    (select oid from pg_database where datname = current_database()))
  from pg_control_system())`

/** More positions than a former primary can have given out unseen; 2^53 leaves space for millions of gaps. */
const GAP = 1_000_000_000

/** A timeline of this database; positions between these two belong to the previous one and are unknown here. */
interface Timeline {
  id: number
  last_position: number
  first_position: number
}

/**
 * Called before positions are assigned, under the lock for it: on a new timeline, or behind a position that was already seen, they continue
 * after a gap. So readers of the former timeline miss nothing of this one.
 */
export async function verify(db: Database, seen: number) {
  const { known, identity, given, last } = (await db.one<{
    known: string | null
    identity: string
    given: number
    last: number
  }>(sql`
    select (select identity from outbox_timelines order by id desc limit 1) as known, ${IDENTITY} as identity,
      (select case when is_called then last_value else 0 end from outbox_position) as given,
      (select coalesce(max(position), 0) from outbox) as last`))!
  if (known === identity && seen <= given) return
  const first = known === null ? last + 1 : Math.max(given, seen) + GAP
  await db.execute(sql`
    insert into outbox_timelines (identity, last_position, first_position) values (${identity}, ${last}, ${first})`)
  if (known !== null) await db.execute(sql`select setval('outbox_position', ${first}, false)`)
}

export const newest = (db: Database): Promise<Timeline | undefined> =>
  db.one(sql`select id, last_position, first_position from outbox_timelines order by id desc limit 1`)

/** Whether the event at a position was lost with its timeline. */
export const isLost = ({ last_position, first_position }: Timeline, position: number) =>
  last_position < position && position < first_position

/** Whether a reader that has read up to a position has missed events since, or read events that were lost. */
export const hasMissed = async (db: Database, position: number): Promise<boolean> =>
  (await db.one<{ missed: boolean }>(sql`
    select p.position + 1 < coalesce(o.first, s.given + 1) or p.position > coalesce(o.last, s.given)
      or exists (select from outbox_timelines where last_position < p.position and p.position < first_position) as missed
    from (select ${position}::bigint as position) p, (select min(position) as first, max(position) as last from outbox) o,
      (select case when is_called then last_value else 0 end as given from outbox_position) s`))!.missed
