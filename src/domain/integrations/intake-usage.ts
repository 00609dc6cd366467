import { quotaExceeded } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { bodyDays } from '../accounts/retention-days.ts'

/** Enough of a refused body to see why. */
export const REFUSED_MAX = 16 * 1024

export type BodyNote = 'duplicate' | 'refused' | 'quota' | 'log'

/** Why a body is missing or incomplete. */
export const BODY_NOTES: Record<BodyNote, string> = {
  duplicate: 'This delivery repeats an earlier one. The body is stored with the first.',
  refused: 'Only the first part of a refused body is stored.',
  quota: 'The body is not stored: the account has used up its storage for bodies.',
  log: 'The log is stored with the build and left out here. A replay keeps the log of the build.',
}

const KNOWN_MS = 60_000
/** Written early, so that other nodes notice a flood too. */
const UNWRITTEN_BYTES = 64 * 1024 * 1024
const UNWRITTEN_DELIVERIES = 1_000

type Counted = 'stored_bytes' | 'deliveries'
type Limits = Record<Counted, number | null>

interface Usage {
  /** The total of all nodes: bytes within the retention of bodies, deliveries of today. */
  written: Record<Counted, number>
  /** Counted by this process since. */
  unwritten: Record<Counted, number>
  /** The account's own limits or the service's. */
  limits: Limits
  readAt: number
}

/**
 * An account's quotas for deliveries: stored bytes, and deliveries a day. Each node counts by itself and exchanges counts once a minute: a
 * quota may be exceeded by one minute's deliveries, but costs a delivery nothing.
 */
export class IntakeQuota {
  readonly #usages = new Map<number, Promise<Usage>>()
  readonly #limits: Limits
  readonly #days: number | null

  /** `days`: how long bodies are kept; null: forever. */
  constructor(limits: Limits, days: number | null) {
    this.#limits = limits
    this.#days = days
  }

  /** Over the quota a delivery is processed and logged as usual, without its body. */
  async isBodyOver(db: Database, accountId: number): Promise<boolean> {
    return isOver(await this.#usageOf(db, accountId), 'stored_bytes')
  }

  /** Called before the body is read and anything is acknowledged: the tool retries. */
  async refuseDelivery(db: Database, accountId: number) {
    const usage = await this.#usageOf(db, accountId)
    if (isOver(usage, 'deliveries'))
      throw quotaExceeded('deliveries', usage.limits.deliveries!, usedOf(usage, 'deliveries'), secondsOfToday())
  }

  /** Counts a delivery and the stored bytes of its body. */
  async add(db: Database, accountId: number, bytes: number) {
    const usage = await this.#usageOf(db, accountId)
    usage.unwritten.stored_bytes += bytes
    usage.unwritten.deliveries++
    if (usage.unwritten.stored_bytes >= UNWRITTEN_BYTES || usage.unwritten.deliveries >= UNWRITTEN_DELIVERIES)
      await this.#write(db, accountId, usage)
  }

  async flush(db: Database) {
    for (const [accountId, usage] of this.#usages) await this.#write(db, accountId, await usage)
  }

  async #usageOf(db: Database, accountId: number): Promise<Usage> {
    const known = this.#usages.get(accountId)
    const usage = await known
    if (usage && performance.now() - usage.readAt < KNOWN_MS) return usage
    // Concurrent callers share one read.
    if (this.#usages.get(accountId) === known) this.#usages.set(accountId, this.#read(db, accountId, usage))
    return this.#usages.get(accountId)!
  }

  async #read(db: Database, accountId: number, before: Usage | undefined): Promise<Usage> {
    try {
      if (before) await this.#write(db, accountId, before)
      const row = (await db.one<{ written: Usage['written']; quotas: Partial<Limits> | null }>(sql`
        select json_build_object(
            'stored_bytes', coalesce(sum(bytes) filter (where day > coalesce(current_date - ${bodyDays(this.#days, accountId)}, '-infinity')), 0),
            'deliveries', coalesce(sum(deliveries) filter (where day = current_date), 0)) as written,
          (select quotas from accounts where id = ${accountId}) as quotas
        from intake_usage where account_id = ${accountId}`))!
      const unwritten = before?.unwritten ?? { stored_bytes: 0, deliveries: 0 }
      return { written: row.written, unwritten, limits: { ...this.#limits, ...row.quotas }, readAt: performance.now() }
    } catch (error) {
      this.#usages.delete(accountId)
      throw error
    }
  }

  async #write(db: Database, accountId: number, usage: Usage) {
    const { stored_bytes, deliveries } = usage.unwritten
    if (stored_bytes === 0 && deliveries === 0) return
    usage.unwritten = { stored_bytes: 0, deliveries: 0 }
    usage.written.stored_bytes += stored_bytes
    usage.written.deliveries += deliveries
    await db.execute(sql`
      with old as (
        delete from intake_usage where account_id = ${accountId} and day <= current_date - ${bodyDays(this.#days, accountId)})
      insert into intake_usage (account_id, day, bytes, deliveries)
      select id, current_date, ${stored_bytes}, ${deliveries} from accounts where id = ${accountId}
      on conflict (account_id, day) do update
        set bytes = intake_usage.bytes + excluded.bytes, deliveries = intake_usage.deliveries + excluded.deliveries`)
  }
}

const usedOf = ({ written, unwritten }: Usage, kind: Counted) => written[kind] + unwritten[kind]
const isOver = (usage: Usage, kind: Counted) => usage.limits[kind] !== null && usedOf(usage, kind) >= usage.limits[kind]

/** Until midnight UTC. */
const secondsOfToday = () => Math.ceil((86_400_000 - (Date.now() % 86_400_000)) / 1000)
