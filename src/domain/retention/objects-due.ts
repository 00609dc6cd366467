import { RUNNING_STATUSES } from '../../contract/sets.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'

/** Must match the condition of the index. Smaller values cost more as an object than in their row. */
const LARGE_BODY = sql`octet_length(d.body) >= 16384`
const LARGE_LOG = sql`octet_length(b.output_log) >= 16384`
/** New values are read, replayed, investigated and appended to; after this time rarely. */
const RESTED = sql`now() - interval '1 hour'`

/**
 * A little later than allowed: a reader that has just read the row can still read the object, and no statement that reuses it, which is
 * only allowed before the time, takes that long.
 */
export const UNUSED = sql`remove_after < now() - interval '1 minute'`

const IS_BODY_DUE = sql`${LARGE_BODY} and d.received_at < ${RESTED} and d.outcome <> 'accepted'`
const IS_LOG_DUE = sql`
  ${LARGE_LOG} and b.happened_at < ${RESTED} and b.updated_at < ${RESTED} and b.status <> all (${[...RUNNING_STATUSES]})`

/** Bodies of finished deliveries of the integration `i`. */
export const dueBodies = sql`
  select d.id, d.received_at as since from deliveries d
  where d.account_id = i.account_id and d.integration_id = i.id and ${IS_BODY_DUE}
  order by d.received_at`

/** Logs of finished builds. */
export const dueLogs = (account: Sql) => sql`
  select b.id, b.happened_at as since from build_runs b
  where b.account_id = ${account} and ${IS_LOG_DUE}
  order by b.happened_at`

export const integrationsOf = (account: Sql) => sql`
  select i.account_id, i.id from integrations i where i.account_id = ${account}`

/**
 * The accounts after the given one that have something to move or remove, and the last one that was checked. Planned anew each time: a plan
 * from when the tables were small would read all of them.
 */
export async function accountsDue(
  db: Database,
  after: number,
  look: number,
): Promise<{ accounts: number[]; last: number | undefined }> {
  if (await db.isDistributed()) return accountsDueOfAll(db, after, look)
  const seen = await db.rows<{ id: number; due: boolean }>(
    sql`
      select a.id, exists (select from (${dueLogs(sql`a.id`)} limit 1) b)
        or exists (select from (${integrationsOf(sql`a.id`)}) i cross join lateral (${dueBodies} limit 1) d) as due
      from accounts a where a.id > ${after} order by a.id limit ${look}`,
    { unprepared: true },
  )
  const owners = await db.rows<{ id: number }>(
    sql`
      with recursive owners (id) as (${ownerAfter(sql`${after}::integer`)}
        union all select (${ownerAfter(sql`owners.id`)}) from owners where owners.id is not null)
      select id from owners where exists (select from stored_objects d where d.account_id = owners.id and ${UNUSED}) limit ${look}`,
    { unprepared: true },
  )
  const accounts = new Set([...seen.filter(({ due }) => due), ...owners].map(({ id }) => id))
  return { accounts: [...accounts].sort((a, b) => a - b), last: seen.at(-1)?.id }
}

/** From one account to the next, deleted ones too, however much each has to remove. */
const ownerAfter = (account: Sql) => sql`
  select min(o.account_id) from stored_objects o where o.remove_after is not null and o.account_id > ${account}`

/** On several servers each of these reads the due values of all accounts by their index. */
async function accountsDueOfAll(db: Database, after: number, look: number) {
  const found = new Set<number>()
  for (const due of [
    sql`select d.account_id as id from deliveries d where d.account_id > ${after} and ${IS_BODY_DUE}`,
    sql`select b.account_id as id from build_runs b where b.account_id > ${after} and ${IS_LOG_DUE}`,
    sql`select o.account_id as id from stored_objects o where o.account_id > ${after} and ${UNUSED}`,
  ])
    for (const { id } of await db.rows<{ id: number }>(sql`${due} group by 1 order by 1 limit ${look}`, { across: true }))
      found.add(id)
  const accounts = [...found].sort((a, b) => a - b).slice(0, look)
  return { accounts, last: accounts.at(-1) }
}

/** Objects that wait for removal are counted up to this number. */
const COUNT_MAX = 100_000

/** What waits: how many seconds the oldest value has waited, and how many objects nobody uses. */
export async function readBacklog(db: Database): Promise<{ oldest: number; unused: number }> {
  const oldest = (since: Sql) => sql`
    select coalesce(greatest(0, extract(epoch from ${RESTED} - min(since))), 0)::float8 as oldest from (${since}) due`
  const unused = sql`select count(*) as unused from (select from stored_objects where ${UNUSED} limit ${COUNT_MAX}) unused`
  if (!(await db.isDistributed()))
    return (await db.one<{ oldest: number; unused: number }>(
      sql`
        select (${oldest(sql`
          select d.since from integrations i cross join lateral (${dueBodies} limit 1) d
          union all select b.since from accounts a cross join lateral (${dueLogs(sql`a.id`)} limit 1) b`)}) as oldest, (${unused}) as unused`,
      { unprepared: true },
    ))!
  const across = { across: true }
  const values = await Promise.all([
    db.one<{ oldest: number }>(oldest(sql`select d.received_at as since from deliveries d where ${IS_BODY_DUE}`), across),
    db.one<{ oldest: number }>(oldest(sql`select b.happened_at as since from build_runs b where ${IS_LOG_DUE}`), across),
  ])
  return { oldest: Math.max(...values.map((value) => value!.oldest)), ...(await db.one<{ unused: number }>(unused, across))! }
}
