import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { IS_DISTRIBUTED, isAmong, portionsOf } from '../../db/distributed/distribution.ts'
import { isFailing, isResting, together } from '../accounts/isolation.ts'

/**
 * Identifies the timeline of the server that stores the account: a restore and a failover to a standby each start a new one. Without a
 * subquery, which would run on the coordinator of several servers. The file's folder is the id of the database.
 */
const IDENTITY = sql`concat_ws('/', (pg_control_system()).system_identifier, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
  split_part(pg_relation_filepath('outbox'), '/', 2))`

/** More positions than a former primary can have given out unseen; 2^53 leaves space for millions of gaps. */
const GAP = 1_000_000_000
const BATCH = 1_000

/** An account with events that have no position yet. */
interface Waiting {
  account_id: number
  has_head: boolean
  identity: string
  is_distributed: boolean
  /** It could not be numbered the last time. */
  is_failing: boolean
}

const WORK = 'event positions'

/**
 * Assigns positions to the committed events of each account; one node at a time per account. `seen`: the highest positions that the caller
 * knows of. Returns true if there are more than one batch.
 */
export async function sequence(
  db: Database,
  seen: ReadonlyMap<number, number> = new Map(),
  accountId?: number,
): Promise<boolean> {
  const waiting = await db.rows<Waiting>(
    sql`
    select w.account_id, h.account_id is not null as has_head, w.identity, ${IS_DISTRIBUTED} as is_distributed,
      ${isFailing(WORK, sql`w.account_id`)} as is_failing
    from (select o.account_id, ${IDENTITY} as identity from outbox o where o.position is null and ${ofAccount(accountId)} group by o.account_id) w
    left join outbox_heads h on h.account_id = w.account_id
    where not ${isResting(WORK, sql`w.account_id`)} order by w.account_id`,
    { across: true },
  )
  let more = false
  for (const portion of portionsOf(waiting)) {
    const failing = new Set(portion.flatMap(({ account_id, is_failing }) => (is_failing ? [account_id] : [])))
    const turn = { accounts: portion.map(({ account_id }) => account_id), failing }
    const numbered = await together(db, WORK, turn, (ids) =>
      number(
        db,
        portion.filter(({ account_id }) => ids.includes(account_id)),
        seen,
      ),
    )
    more ||= numbered.some(Boolean)
  }
  return more
}

const ofAccount = (id: number | undefined): Sql => (id === undefined ? sql`true` : sql`o.account_id = ${id}`)

/**
 * The locked row of an account decides: on a new timeline, or behind a position that was already seen, positions continue after a gap. So
 * readers of the former timeline miss nothing of this one.
 */
async function number(db: Database, accounts: Waiting[], seen: ReadonlyMap<number, number>): Promise<boolean> {
  const { identity } = accounts[0]!
  for (const { account_id } of accounts.filter(({ has_head }) => !has_head)) await begin(db, account_id, identity)
  const ids = accounts.map(({ account_id }) => account_id)
  const limit = Math.max(1, Math.floor(BATCH / ids.length))
  const known = [...seen].filter(([id]) => ids.includes(id))
  const numbered = await db.rows<{ count: number }>(sql`
    with head as materialized (
      select h.account_id, h.position as last, case when h.identity = ${identity} and h.position >= coalesce(s.position, 0) then h.position
          else greatest(h.position, s.position) + ${GAP} end as base
      from outbox_heads h left join unnest(${known.map(([id]) => id)}::integer[], ${known.map(([, position]) => position)}::bigint[])
        s (account_id, position) on s.account_id = h.account_id
      where ${isAmong(sql`h.account_id`, ids)} order by h.account_id for update of h),
    waiting as (
      select o.account_id, o.id, h.base + row_number() over (partition by o.account_id order by o.id) as position
      from head h cross join lateral (
        select o.account_id, o.id from outbox o where o.account_id = h.account_id and ${isAmong(sql`o.account_id`, ids)} and o.position is null
        order by o.id limit ${limit}) o),
    numbered as (
      update outbox o set position = w.position from waiting w
      where ${isAmong(sql`o.account_id`, ids)} and o.account_id = w.account_id and o.id = w.id and o.position is null
      returning o.account_id, o.position)
    update outbox_heads h set position = n.position, identity = ${identity},
      lost = case when d.base > d.last then h.lost + int8multirange(int8range(d.last, d.base, '(]')) else h.lost end
    from head d join (select account_id, max(position) as position, count(*) as count from numbered group by account_id) n
      on n.account_id = d.account_id
    where ${isAmong(sql`h.account_id`, ids)} and h.account_id = d.account_id
    returning n.count`)
  return numbered.some(({ count }) => count === limit)
}

/**
 * The first event of an account. Its first position is the time: if a restored database lacks the whole row, the next one begins above
 * all that the lost one gave out.
 */
const begin = (db: Database, accountId: number, identity: string) =>
  db.execute(sql`
    insert into outbox_heads (account_id, position, identity) values (${accountId}, ${Date.now()}, ${identity}) on conflict do nothing`)

const LOOKS = 200
const PAUSE_MS = 20

/** Afterwards everything that was committed before has a position, from whichever node: of one account, or of all. */
export async function sequenceAll(db: Database, accountId?: number) {
  const unnumbered = sql`o.position is null and ${ofAccount(accountId)}`
  const { newest } = (await db.one<{ newest: number | null }>(sql`select max(o.id) as newest from outbox o where ${unnumbered}`))!
  const waits = () => db.one(sql`select from outbox o where ${unnumbered} and o.id <= ${newest} limit 1`)
  for (let look = 0; newest !== null && look < LOOKS && (await waits()); look++)
    if (!(await sequence(db, undefined, accountId))) await sleep(PAUSE_MS)
}
