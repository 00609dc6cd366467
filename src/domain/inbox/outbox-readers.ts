import { type Database, raw, type Sql, sql } from '../../db/database.ts'
import { IS_DISTRIBUTED, isAmong, portionsOf } from '../../db/distributed/distribution.ts'
import { isFailing, isResting, together } from '../accounts/isolation.ts'
import { linkFixes } from '../breakages/fixed-in.ts'
import { announce } from '../channels/announce.ts'
import { type Cursor, type OutboxEntry, readEntries, type Span } from '../feed/outbox.ts'
import { notifyPeople } from '../inbox/notify-people.ts'
import type { Vault } from '../privacy/secrets.ts'

const BATCH = 500
/** Accounts read in one round, so that each gets a share of the batch. */
const ACCOUNTS = 50
const LOCK = 0x72656164

interface ReaderContext {
  vault: Vault
  site: string
}

/** Follows the outbox of each account with its own cursor: a column of `outbox_heads`. */
interface Reader {
  name: 'fixes' | 'channels' | 'inbox'
  /** The reader that must be ahead of this one. */
  after?: Reader['name']
  read(db: Database, context: ReaderContext, entries: readonly OutboxEntry[]): Promise<unknown>
}

const READERS: readonly Reader[] = [
  { name: 'fixes', read: (db, _, entries) => linkFixes(db, entries) },
  { name: 'channels', read: (db, _, entries) => announce(db, entries) },
  // Whether a channel mentions a person is known once the channel's message is queued.
  { name: 'inbox', after: 'channels', read: notifyPeople },
]

interface Unread extends Record<Reader['name'], boolean> {
  account_id: number
  is_distributed: boolean
  /** Readers that failed in this account the last time. */
  failing: Reader['name'][]
}

const workOf = (name: Reader['name']) => `outbox: ${name}`
const rests = (name: Reader['name']) => isResting(workOf(name), sql`h.account_id`)

/** Whether a reader can read in the account `h`, perhaps once the one ahead of it has. */
const isReadable = ({ name, after }: Reader): Sql => {
  const ahead = after === undefined ? sql`h.position` : sql`case when ${rests(after)} then h.${raw(after)} else h.position end`
  return sql`(h.position > h.${raw(name)} and ${ahead} > h.${raw(name)} and not ${rests(name)})`
}

const failingReaders = sql`array_remove(array[${READERS.map(({ name }) => sql`case when ${isFailing(workOf(name), sql`h.account_id`)} then ${name} end`).reduce((a, b) => sql`${a}, ${b}`)}], null)`

/**
 * Lets every reader read on. Returns true if one of them has more to read. An account in which a reader fails holds up no other one, and
 * only the reader that follows.
 */
export async function readOutbox(db: Database, context: ReaderContext): Promise<boolean> {
  const [fixes, channels, inbox] = READERS.map(isReadable)
  const unread = await db.rows<Unread>(
    sql`
    select * from (
      select h.account_id, ${fixes} as fixes, ${channels} as channels, ${inbox} as inbox, ${failingReaders} as failing,
        ${IS_DISTRIBUTED} as is_distributed, h.read_at
      from outbox_heads h where h.position > least(h.fixes, h.channels, h.inbox)) h
    where h.fixes or h.channels or h.inbox order by h.read_at, h.account_id limit ${ACCOUNTS}`,
    { across: true },
  )
  const results: boolean[] = []
  for (const portion of portionsOf(unread))
    for (const reader of READERS) {
      const readable = portion.filter((account) => account[reader.name])
      const accounts = readable.map(({ account_id }) => account_id)
      const failing = new Set(
        readable.filter((account) => account.failing.includes(reader.name)).map(({ account_id }) => account_id),
      )
      results.push(
        ...(await together(db, workOf(reader.name), { accounts, failing }, (ids) => advance(db, context, reader, ids))),
      )
    }
  return unread.length === ACCOUNTS || results.some(Boolean)
}

/** One node at a time. What is queued is committed with the cursors, so nothing is queued twice or left out. */
const advance = (db: Database, context: ReaderContext, reader: Reader, ids: number[]): Promise<boolean> =>
  db.transaction(async (db) => {
    const { name, after = 'position', read } = reader
    const { mine } = (await db.one<{ mine: boolean }>(
      sql`select pg_try_advisory_xact_lock(${LOCK}, ${READERS.indexOf(reader)}) as mine`,
    ))!
    if (!mine) return false
    const spans = await db.rows<Span>(sql`
      select account_id, ${raw(name)} as position, ${raw(after)} as up_to from outbox_heads
      where ${isAmong(sql`account_id`, ids)} and ${raw(name)} < ${raw(after)}`)
    if (spans.length === 0) return false
    const { entries, lasts, more } = await readEntries(db, spans, Math.max(1, Math.floor(BATCH / spans.length)))
    if (entries.length > 0) await read(db, context, entries)
    await move(db, name, lasts)
    return more
  })

/** Locks the rows in the order in which the sequencer does. */
const move = (db: Database, name: Reader['name'], lasts: readonly Cursor[]) => {
  const among = isAmong(
    sql`h.account_id`,
    lasts.map(({ account_id }) => account_id),
  )
  return db.execute(sql`
    with held as materialized (select h.account_id from outbox_heads h where ${among} order by h.account_id for update)
    update outbox_heads h set ${raw(name)} = l.position, read_at = now()
    from held, unnest(${lasts.map(({ account_id }) => account_id)}::integer[], ${lasts.map(({ position }) => position)}::bigint[])
      l (account_id, position)
    where ${among} and h.account_id = held.account_id and h.account_id = l.account_id`)
}
