import type { FastifyRequest } from 'fastify'
import { readShortId } from '../contract/params.ts'
import type { Database } from '../db/database.ts'
import { accountOf, accountsOfToken, type NewEntry, record } from '../domain/audit/audit-log.ts'
import { difference, type Ids, rowOf, severalOf, snapshot, subjectOf } from '../domain/audit/subjects.ts'

interface Change {
  /** The name of the route. */
  action: string
  by: { user_id: number; token_id: number | null; account_id: number | null; project_id: number | null }
  request: FastifyRequest
  /** The parsed body. */
  body?: unknown
  /** Calls another server or undoes its own writes, so no transaction can be held around it. */
  detached: boolean | undefined
}

/** The actor, action and address of a request: an entry without its result. */
export const entryOf = (action: string, by: Change['by'], request: FastifyRequest): NewEntry => ({
  actor: by.token_id === null ? 'user' : 'token',
  project_id: by.project_id,
  user_id: by.user_id,
  token_id: by.token_id,
  ip_address: request.ip,
  action,
})

/**
 * Runs a request and writes its audit entry in one transaction; a refused request leaves no entry, and neither does one that calls
 * `unchanged`, because it repeats an earlier one.
 */
export async function audited<T>(
  db: Database,
  change: Change,
  work: (db: Database, unchanged: () => void) => Promise<T>,
): Promise<T> {
  const { action, by, request, body, detached } = change
  const subject = subjectOf(action)
  const isNew = action.startsWith('create') || action === 'invite' || subject?.isReplaced
  const ids: Ids = { ...(by.account_id !== null && { account_id: String(by.account_id) }), ...(request.params as Ids) }
  let changed = true
  const unchanged = () => {
    changed = false
  }
  const tell = async (db: Database, answer: T, earlier: object | null) => {
    if (!changed) return answer
    const made = (answer as { id?: number | string } | undefined)?.id
    const about = subject && (answer as Record<string, unknown> | undefined)?.[subject.id]
    // The id in the path of a new record is that of the record it belongs to.
    const named: Ids = {
      ...(subject && about != null && { [subject.id]: String(about) }),
      ...ids,
      ...(made !== undefined && (isNew || ids.id === undefined) && { id: String(made) }),
    }
    // For a new record the statement that writes the entry looks it up.
    const stands =
      subject && earlier !== null
        ? difference(earlier, await snapshot(subject, db, named))
        : { before: null, after: subject ? rowOf(subject, named) : null }
    const token = by.account_id === null && subject?.kind === 'token' ? readShortId(named.id ?? '') : undefined
    await record(db, token === undefined ? accountOf(by) : accountsOfToken(token), {
      ...entryOf(action, by, request),
      subject: subject ? `${subject.kind}/${named[subject.id] ?? ''}` : (named.id ?? ''),
      ...stands,
      ...severalOf(action, body, answer),
    })
    return answer
  }
  const before = async (db: Database) => (subject && !isNew ? snapshot(subject, db, ids) : null)
  if (detached) {
    const earlier = await before(db)
    return tell(db, await work(db, unchanged), earlier)
  }
  return db.transaction(async (db) => {
    const earlier = await before(db)
    return tell(db, await work(db, unchanged), earlier)
  })
}
