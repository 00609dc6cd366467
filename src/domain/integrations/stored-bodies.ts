import { type Database, sql } from '../../db/database.ts'

/** Of a body that is refused, enough to see why. */
export const REFUSED_MAX = 16 * 1024

export type BodyNote = 'duplicate' | 'refused' | 'quota'

/** Why a body is not there, or not whole, for whoever looks for it. */
export const BODY_NOTES: Record<BodyNote, string> = {
  duplicate: 'The body is stored with the first delivery of this kind, which this one repeats.',
  refused: 'Only the beginning of a refused body is stored.',
  quota: 'The body is not stored: the account has used up its storage for bodies.',
}

const KNOWN_MS = 60_000
/** Written down before its time, so that a flood is noticed by other nodes too. */
const UNWRITTEN_MAX = 64 * 1024 * 1024

interface Usage {
  /** As all nodes wrote it down. */
  written: number
  /** Stored by this process since. */
  unwritten: number
  readAt: number
}

/**
 * What the stored bodies of an account may take together. Nodes count for themselves and exchange their counts once a minute: a quota
 * may be passed by what is stored in that time, and costs a delivery nothing.
 */
export class BodyQuota {
  readonly #usages = new Map<number, Promise<Usage>>()
  readonly #quota: number | null
  readonly #days: number | null

  /** `days`: for how long bodies are kept, null for good. */
  constructor(quota: number | null, days: number | null) {
    this.#quota = quota
    this.#days = days
  }

  async isOver(db: Database, accountId: number): Promise<boolean> {
    if (this.#quota === null) return false
    const { written, unwritten } = await this.#usageOf(db, accountId)
    return written + unwritten >= this.#quota
  }

  async add(db: Database, accountId: number, bytes: number) {
    if (this.#quota === null) return
    const usage = await this.#usageOf(db, accountId)
    usage.unwritten += bytes
    if (usage.unwritten >= UNWRITTEN_MAX) await this.#write(db, accountId, usage)
  }

  async flush(db: Database) {
    for (const [accountId, usage] of this.#usages) await this.#write(db, accountId, await usage)
  }

  async #usageOf(db: Database, accountId: number): Promise<Usage> {
    const known = this.#usages.get(accountId)
    const usage = await known
    if (usage && performance.now() - usage.readAt < KNOWN_MS) return usage
    // Asked by many at once, read by the first of them.
    if (this.#usages.get(accountId) === known) this.#usages.set(accountId, this.#read(db, accountId, usage))
    return this.#usages.get(accountId)!
  }

  async #read(db: Database, accountId: number, before: Usage | undefined): Promise<Usage> {
    try {
      if (before) await this.#write(db, accountId, before)
      const row = await db.one<{ bytes: string }>(sql`
        select coalesce(sum(bytes), 0) as bytes from stored_bodies
        where account_id = ${accountId} and day > coalesce(current_date - ${this.#days}::integer, '-infinity')`)
      return { written: Number(row!.bytes), unwritten: before?.unwritten ?? 0, readAt: performance.now() }
    } catch (error) {
      this.#usages.delete(accountId)
      throw error
    }
  }

  async #write(db: Database, accountId: number, usage: Usage) {
    const bytes = usage.unwritten
    if (bytes === 0) return
    usage.unwritten = 0
    usage.written += bytes
    await db.execute(sql`
      with old as (
        delete from stored_bodies where account_id = ${accountId} and day <= current_date - ${this.#days}::integer)
      insert into stored_bodies (account_id, day, bytes) values (${accountId}, current_date, ${bytes})
      on conflict (account_id, day) do update set bytes = stored_bodies.bytes + excluded.bytes`)
  }
}
