import type { Database } from '../db/database.ts'
import { namesOf } from '../domain/builds/report.ts'
import type { IntegrationContext } from '../domain/integrations/context.ts'
import { type Fact, isChange } from './facts.ts'
import type { Delivered, Reading } from './persist.ts'

/** A delivery whose tool waits for the response. */
export interface PendingDelivery {
  context: IntegrationContext
  reading: Reading
  /** When it took its place in a line. */
  place: number
  /** What it is about: it must not overtake an earlier one about the same. */
  keys: string[]
  answer: (delivered: Delivered) => void
  fail: (error: unknown) => void
  /** Stores it, to be processed later. */
  timer: NodeJS.Timeout | undefined
}

/** How a delivery is written: with others that only report changes, with others that report a build each, or alone. */
export type Way = 'changes' | 'builds' | 'alone'

/** Deliveries of one integration that are written in the same way and wait while others are written. */
export interface Line {
  way: Way
  waiting: PendingDelivery[]
  writers: number
}

/** What one integration's deliveries wait for. */
export interface Lines {
  /** Milliseconds until a sender gives up. */
  patience: number
  lines: Map<Way, Line>
  /** What is being written, and by how many transactions. */
  writing: Map<string, number>
  /** They waited too long, or come after stored ones; in the order of their arrival. */
  deferred: PendingDelivery[]
  isDeferring: boolean
  /** When some were stored last, by this process's clock. */
  deferredAt: number
}

const all = new WeakMap<Database['origin'], Map<number, Lines>>()

export const allLines = (db: Database): Iterable<Lines> => all.get(db.origin)?.values() ?? []

export function linesOf(db: Database, integrationId: number, patience: number): Lines {
  const ofDatabase = all.get(db.origin) ?? new Map<number, Lines>()
  all.set(db.origin, ofDatabase)
  const known = ofDatabase.get(integrationId)
  if (known) return known
  const lines: Lines = {
    patience,
    lines: new Map(),
    writing: new Map(),
    deferred: [],
    isDeferring: false,
    deferredAt: Number.NEGATIVE_INFINITY,
  }
  ofDatabase.set(integrationId, lines)
  return lines
}

/** Per transaction; the rest waits for the next one. */
const DELIVERIES_MAX = 32
const CHANGES_MAX = 500
/** Bodies of a transaction: larger ones are written with fewer others. */
const BYTES_MAX = 2 * 1024 * 1024
/** Bodies of a transaction that only stores. */
const STORED_BYTES_MAX = 8 * 1024 * 1024

export function wayOf(facts: readonly Fact[]): Way {
  if (facts.length > 0 && facts.length <= CHANGES_MAX && facts.every(isChange)) return 'changes'
  const [fact] = facts
  return facts.length === 1 && fact!.kind === 'build' && namesOf(fact!).length > 0 ? 'builds' : 'alone'
}

/** The changes and builds that facts are about. */
export const namesIn = (facts: readonly Fact[]): string[] => [
  ...new Set(
    facts.flatMap((fact) => {
      if (fact.kind === 'change') return [`change ${fact.identifier}`]
      return fact.kind === 'build' ? namesOf(fact) : []
    }),
  ),
]

const JOB = 'job '
const jobsIn = (facts: readonly Fact[]) =>
  new Set(facts.flatMap((fact) => (fact.kind === 'build' && fact.build.job !== undefined ? [`${JOB}${fact.build.job}`] : [])))

export const keysOf = (facts: readonly Fact[]) => [...namesIn(facts), ...jobsIn(facts)]

/**
 * Takes from a line what fits into one transaction: none that is about the same as one that is being written, as an earlier one that stays,
 * or as an earlier one in another line. A build or change that is reported twice is written in two transactions.
 */
export function takeBatch(lines: Lines, line: Line): PendingDelivery[] {
  const taken: PendingDelivery[] = []
  const [inBatch, blocked] = [new Set<string>(), new Set(lines.writing.keys())]
  const elsewhere = placesIn(lines, line)
  let [bytes, facts] = [0, 0]
  const isFull = ({ reading }: PendingDelivery) =>
    taken.length > 0 &&
    (line.way === 'alone' ||
      taken.length === DELIVERIES_MAX ||
      facts + reading.facts.length > CHANGES_MAX ||
      bytes + reading.arrival.body.length > BYTES_MAX)
  const stays: PendingDelivery[] = []
  for (const one of line.waiting) {
    // Builds of one job may share a batch: they are written in their order.
    const again = one.keys.some((key) => !key.startsWith(JOB) && inBatch.has(key))
    const isBlocked = (key: string) => blocked.has(key) || (elsewhere.get(key) ?? one.place) < one.place
    if (again || one.keys.some(isBlocked) || isFull(one)) {
      for (const key of one.keys) blocked.add(key)
      stays.push(one)
      continue
    }
    for (const key of one.keys) inBatch.add(key)
    bytes += one.reading.arrival.body.length
    facts += one.reading.facts.length
    taken.push(one)
  }
  line.waiting = stays
  return taken
}

/** The first place in the other lines where something waits, by what it is about. */
function placesIn({ lines }: Lines, line: Line): Map<string, number> {
  const places = new Map<string, number>()
  for (const other of lines.values())
    for (const { keys, place } of other === line ? [] : other.waiting)
      for (const key of keys) if (!places.has(key) || place < places.get(key)!) places.set(key, place)
  return places
}

/**
 * Takes from the deferred ones what is stored in one transaction, in the order of their arrival. One about the same as what is being written
 * stays: if that is deferred in the end, it must be stored first.
 */
export function takeDeferred(lines: Lines): PendingDelivery[] {
  const taken: PendingDelivery[] = []
  const blocked = new Set(lines.writing.keys())
  let bytes = 0
  const stays: PendingDelivery[] = []
  for (const one of lines.deferred) {
    const size = one.reading.arrival.body.length
    const isFull = taken.length > 0 && (taken.length === DELIVERIES_MAX || bytes + size > STORED_BYTES_MAX)
    if (isFull || one.keys.some((key) => blocked.has(key))) {
      for (const key of one.keys) blocked.add(key)
      stays.push(one)
      continue
    }
    bytes += size
    taken.push(one)
  }
  lines.deferred = stays
  return taken
}
