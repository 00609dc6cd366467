import { isChosen } from '../../contract/events.ts'
import { type Database, sql } from '../../db/database.ts'
import { byAccount, oneByOne } from '../accounts/isolation.ts'
import type { OutboxEvent } from '../feed/events.ts'
import * as outbox from '../feed/outbox.ts'
import { LIVE } from '../sending/destinations.ts'

const BATCH = 500
/** Messages queued per account and round; the rest waits until the other accounts had their round. */
const MESSAGES = 2_000

/** Webhooks of an account with equal cursors. */
interface Level extends outbox.Span {
  ids: number[]
}

/** Queues events for the webhooks that match. Returns true if there are more than one round handles. */
export async function enqueueMessages(db: Database): Promise<boolean> {
  const levels = await db.rows<Level>(
    sql`
    select d.account_id, d.position, max(h.position) as up_to, array_agg(d.id) as ids from destinations d
    join outbox_heads h on h.account_id = d.account_id and h.position > d.position
    where d.kind = 'webhook' and ${LIVE}
    group by d.account_id, d.position`,
    { across: true },
  )
  const accounts = byAccount(levels)
  const results = await oneByOne(db, 'webhook messages', [...accounts.keys()], async (id) => {
    let more = false
    for (const level of accounts.get(id)!) if (await enqueueLevel(db, level)) more = true
    return more
  })
  return results.some(Boolean)
}

interface Filter {
  id: number
  project_id: number | null
  event_types: string[]
}

/** The transaction that locks the rows advances their cursors; another node that waited for them finds them at a later position. */
const enqueueLevel = (db: Database, { account_id, position, up_to, ids }: Level): Promise<boolean> =>
  db.transaction(async (db) => {
    const filters = await db.rows<Filter>(sql`
      select id, project_id, event_types from destinations
      where account_id = ${account_id} and id = any (${ids}) and position = ${position} and status = 'active' order by id for no key update`)
    if (filters.length === 0) return false
    const { entries, lasts, more } = await outbox.read(db, [{ account_id, position, up_to }], portion(filters.length))
    const queued = entries.flatMap(({ position, event }) =>
      filters.filter((filter) => isWanted(filter, event)).map(({ id }) => ({ id, position, event })),
    )
    if (queued.length > 0)
      await db.execute(sql`
        insert into messages (account_id, destination_id, event_id, position, event_type, payload)
        select ${account_id}, q.id, 'msg_' || replace(gen_random_uuid()::text, '-', ''), q.position, q.type, q.payload::json
        from unnest(${queued.map(({ id }) => id)}::bigint[], ${queued.map(({ position }) => position)}::bigint[],
          ${queued.map(({ event }) => event.event_type)}::text[], ${queued.map(({ event }) => payloadOf(event))}::text[])
          with ordinality q (id, position, type, payload, place)
        order by q.place`)
    await db.execute(
      sql`update destinations set position = ${lasts[0]!.position} where account_id = ${account_id} and id = any (${filters.map(({ id }) => id)})`,
    )
    return more
  })

const portion = (webhooks: number) => Math.max(1, Math.min(BATCH, Math.floor(MESSAGES / webhooks)))

const isWanted = ({ project_id, event_types }: Filter, event: OutboxEvent) =>
  (project_id === null || project_id === event.project_id) && isChosen(event_types, event.event_type)

/** Stored: a message that is sent again has the same payload. */
const payloadOf = (event: OutboxEvent) => JSON.stringify({ type: event.event_type, timestamp: event.timestamp, data: event })
