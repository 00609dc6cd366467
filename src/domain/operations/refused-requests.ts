import { type Database, sql } from '../../db/database.ts'

/** How many addresses of one account are counted: by this process until the next write, and by all of them in a day. */
const ADDRESSES = 20
const ADDRESSES_A_DAY = 100
/** The entry for all further addresses. */
const OTHERS = ''

interface Refusal {
  /** Null: refused before the account was known. */
  account_id: number | null
  address: string
  /** The setting that would allow the request, or the error code. */
  reason: string
}

/**
 * Counts requests that got a 429 by account and address: in memory, written from time to time. However many addresses an account has, or
 * pretends to have, it fills only its own share of the table.
 */
export class RefusedRequests {
  #counts = new Map<string, Refusal & { count: number }>()
  #addresses = new Map<number | null, Set<string>>()

  add({ account_id, address, reason }: Refusal) {
    const known = this.#addresses.get(account_id) ?? new Set()
    this.#addresses.set(account_id, known)
    if (known.size < ADDRESSES) known.add(address)
    const noted = known.has(address) ? address : OTHERS
    const key = JSON.stringify([account_id, noted, reason])
    const counted = this.#counts.get(key) ?? { account_id, address: noted, reason, count: 0 }
    counted.count++
    this.#counts.set(key, counted)
  }

  async flush(db: Database) {
    const counts = [...this.#counts.values()]
    if (counts.length === 0) return
    this.#counts.clear()
    this.#addresses.clear()
    await db.execute(sql`
      insert into refused_requests (day, account_id, address, reason, count)
      select current_date, account_id, place, reason, sum(count)
      from (
        select g.account_id, g.reason, g.count,
          case when exists (
              select from refused_requests r
              where r.day = current_date and r.account_id is not distinct from g.account_id and r.address = g.address)
            or ${ADDRESSES_A_DAY} > (
              select count(distinct r.address) from refused_requests r
              where r.day = current_date and r.account_id is not distinct from g.account_id)
            then g.address else ${OTHERS} end as place
        from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as g (account_id integer, address text, reason text, count integer)
        where g.account_id is null or exists (select from accounts where id = g.account_id)) placed
      group by account_id, place, reason
      on conflict (account_id, day, address, reason) do update set count = refused_requests.count + excluded.count`)
  }
}

/** Since when refusals are shown: yesterday, by UTC. */
const SINCE = sql`current_date - 1`
const SHOWN = 20

interface RefusedRow {
  account_id: number | null
  account: string | null
  /** Empty: all further addresses together. */
  address: string
  reason: string
  count: number
}

export interface Refused {
  count: number
  /** Those with the most refusals. */
  most: RefusedRow[]
}

export async function readRefused(db: Database): Promise<Refused> {
  const most = await db.rows<RefusedRow>(sql`
    select r.account_id, a.name as account, r.address, r.reason, sum(r.count)::bigint as count
    from refused_requests r left join accounts a on a.id = r.account_id
    where r.day >= ${SINCE} group by 1, 2, 3, 4 order by 5 desc, 1, 3, 4 limit ${SHOWN}`)
  const all = await db.one<{ count: number }>(
    sql`select coalesce(sum(count), 0)::bigint as count from refused_requests where day >= ${SINCE}`,
  )
  return { count: all!.count, most }
}
