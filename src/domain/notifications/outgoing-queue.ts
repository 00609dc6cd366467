import { isChosen } from '../../contract/events.ts'
import { type Database, sql } from '../../db/database.ts'
import type { OutboxEvent } from '../feed/events.ts'
import * as outbox from '../feed/outbox.ts'
import { LIVE } from './outgoing.ts'

const BATCH = 500
/** Messages that one account's turn puts into queues; what is left waits until the others had theirs. */
const MESSAGES = 2_000

export const isAnybodyThere = async (db: Database): Promise<boolean> =>
  (await db.one<{ there: boolean }>(sql`select exists (select from subscriptions s where ${LIVE}) as there`))!.there

/** Those of an account who have read equally far. */
interface Level {
  account_id: number
  position: number
  ids: number[]
}

/** Puts what happened into the queues of all who asked for it. True when there is more than one turn takes. */
export async function enqueueMessages(db: Database): Promise<boolean> {
  const levels = await db.rows<Level>(sql`
    select s.account_id, s.position, array_agg(s.id) as ids from subscriptions s
    where ${LIVE} and exists (select from outbox o where o.account_id = s.account_id and o.position > s.position)
    group by s.account_id, s.position`)
  let more = false
  for (const level of levels) if (await enqueueLevel(db, level)) more = true
  return more
}

interface Wish {
  id: number
  project_id: number | null
  event_types: string[]
}

/** Whoever holds the rows moves them on; another node that waited for them finds them gone from this level. */
const enqueueLevel = (db: Database, { account_id, position, ids }: Level): Promise<boolean> =>
  db.transaction(async (db) => {
    const wishes = await db.rows<Wish>(sql`
      select id, project_id, event_types from subscriptions
      where id = any (${ids}) and position = ${position} and status = 'active' order by id for no key update`)
    if (wishes.length === 0) return false
    const { events, last, more } = await outbox.read(db, position, portion(wishes.length), account_id)
    const queued = events.flatMap(({ position, event }) =>
      wishes.filter((wish) => isWanted(wish, event)).map(({ id }) => ({ id, position, event })),
    )
    if (queued.length > 0)
      await db.execute(sql`
        insert into outgoing (subscription_id, position, event_type, payload)
        select q.id, q.position, q.type, q.payload::json
        from unnest(${queued.map(({ id }) => id)}::integer[], ${queued.map(({ position }) => position)}::bigint[],
          ${queued.map(({ event }) => event.event_type)}::text[], ${queued.map(({ event }) => payloadOf(event))}::text[])
          with ordinality q (id, position, type, payload, place)
        order by q.place`)
    await db.execute(sql`update subscriptions set position = ${last} where id = any (${wishes.map(({ id }) => id)})`)
    return more
  })

const portion = (webhooks: number) => Math.max(1, Math.min(BATCH, Math.floor(MESSAGES / webhooks)))

const isWanted = ({ project_id, event_types }: Wish, event: OutboxEvent) =>
  (project_id === null || project_id === event.project_id) && isChosen(event_types, event.event_type)

/** Written once: a message that is sent again is the same message. */
const payloadOf = (event: OutboxEvent) => JSON.stringify({ type: event.event_type, timestamp: event.timestamp, data: event })
