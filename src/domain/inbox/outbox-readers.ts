import { type Database, sql } from '../../db/database.ts'
import { linkFixes } from '../breakages/fixed-in.ts'
import { announce } from '../channels/announce.ts'
import { type OutboxEntry, readEntries } from '../feed/outbox.ts'
import { notifyPeople } from '../inbox/notify-people.ts'
import type { Vault } from '../privacy/secrets.ts'

const BATCH = 500

interface ReaderContext {
  vault: Vault
  site: string
}

/** Follows the outbox with its own cursor. */
interface Reader {
  name: string
  /** The reader that must be ahead of this one. */
  after?: string
  read(db: Database, context: ReaderContext, entries: readonly OutboxEntry[]): Promise<unknown>
}

const READERS: readonly Reader[] = [
  { name: 'fixes', read: (db, _, entries) => linkFixes(db, entries) },
  { name: 'channels', read: (db, _, entries) => announce(db, entries) },
  // Whether a channel mentions a person is known once the channel's message is queued.
  { name: 'inbox', after: 'channels', read: notifyPeople },
]

/** Lets every reader read on. Returns true if one of them has more to read. A reader that fails holds up only those that follow it. */
export async function readOutbox(db: Database, context: ReaderContext): Promise<boolean> {
  const behind = await db.rows<{ reader: string }>(sql`
    select c.reader from outbox_cursors c where exists (select from outbox o where o.position > c.position)`)
  const due = READERS.filter(({ name }) => behind.some(({ reader }) => reader === name))
  const results: PromiseSettledResult<boolean>[] = []
  for (const reader of due) results.push(...(await Promise.allSettled([advance(db, context, reader)])))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.some((result) => result.status === 'fulfilled' && result.value)
}

/** One node at a time. What is queued is committed with the cursor, so nothing is queued twice or left out. */
const advance = (db: Database, context: ReaderContext, { name, after, read }: Reader): Promise<boolean> =>
  db.transaction(async (db) => {
    const positionOf = (reader: string, lock = sql``) =>
      db.one<{ position: number }>(sql`select position from outbox_cursors where reader = ${reader} ${lock}`)
    const cursor = await positionOf(name, sql`for update skip locked`)
    if (!cursor) return false
    const upTo = after === undefined ? undefined : (await positionOf(after))!.position
    const { entries, last, more } = await readEntries(db, { after: cursor.position, upTo, limit: BATCH })
    if (entries.length > 0) await read(db, context, entries)
    if (last > cursor.position) await db.execute(sql`update outbox_cursors set position = ${last} where reader = ${name}`)
    return more
  })
