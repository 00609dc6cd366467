import type { TestOutcome } from '../../contract/sets.ts'

/** The byte of an outcome. 0: the case was not in the report. */
const CODES: Record<TestOutcome, number> = { passed: 1, failed: 2, error: 3, skipped: 4, flaky: 5 }
/** The bytes of failed and flaky runs. */
export const NOT_PASSED: ReadonlySet<number> = new Set([CODES.failed, CODES.error, CODES.flaky])
export const PASSED = Buffer.of(CODES.passed)
const OUTCOMES = Object.keys(CODES) as TestOutcome[]

/** No duration. */
const UNKNOWN = 0xffff
const MANTISSA = 12

/** Outcomes and durations of a report's cases in a build, by case number. */
export interface Packed {
  outcomes: Buffer
  durations: Buffer
}

export const emptyPacked = (cases: number): Packed => ({
  outcomes: Buffer.alloc(cases),
  durations: Buffer.alloc(cases * 2, UNKNOWN & 0xff),
})

/** A copy with space for this many cases. */
export function widened({ outcomes, durations }: Packed, cases: number): Packed {
  const wide = emptyPacked(Math.max(cases, outcomes.length))
  outcomes.copy(wide.outcomes)
  durations.copy(wide.durations)
  return wide
}

export const outcomeAt = ({ outcomes }: Pick<Packed, 'outcomes'>, number: number): TestOutcome | undefined =>
  OUTCOMES[(outcomes[number] ?? 0) - 1]

/** 12 bits and a power of two: exact up to 4 s, within 0.03 % up to 37 h. */
export function packDuration(ms: number | null): number {
  if (ms === null) return UNKNOWN
  let exponent = 0
  while (Math.round(ms / 2 ** exponent) >= 1 << MANTISSA) exponent++
  const mantissa = Math.round(ms / 2 ** exponent)
  return exponent > 15 ? UNKNOWN - 1 : Math.min(UNKNOWN - 1, (exponent << MANTISSA) | mantissa)
}

export const unpackDuration = (packed: number): number | null =>
  packed === UNKNOWN ? null : (packed & ((1 << MANTISSA) - 1)) * 2 ** (packed >> MANTISSA)

export const durationAt = ({ durations }: Pick<Packed, 'durations'>, number: number): number | null =>
  number * 2 + 2 > durations.length ? null : unpackDuration(durations.readUInt16BE(number * 2))

export function setCase({ outcomes, durations }: Packed, number: number, outcome: TestOutcome, ms: number | null) {
  outcomes[number] = CODES[outcome]
  durations.writeUInt16BE(packDuration(ms), number * 2)
}

const isFailing = (outcome: TestOutcome | undefined) => outcome === 'failed' || outcome === 'error'

/** The outcome of a case that is in several files of a build, in whatever order they arrive: both outcomes are flaky, otherwise the worst counts. */
export function merged(before: TestOutcome | undefined, now: TestOutcome): TestOutcome {
  if (before === undefined || before === 'skipped') return now
  if (now === 'skipped' || now === before) return before
  return isFailing(before) && isFailing(now) ? 'error' : 'flaky'
}

export interface Counts {
  passed: number
  failed: number
  errors: number
  skipped: number
  flaky: number
  duration_ms: number
}

export function countsOf(packed: Packed): Counts {
  const tally = new Array<number>(OUTCOMES.length + 1).fill(0)
  let duration_ms = 0
  for (let number = 0; number < packed.outcomes.length; number++) {
    const code = packed.outcomes[number]!
    tally[code]!++
    if (code !== 0) duration_ms += durationAt(packed, number) ?? 0
  }
  const [, passed, failed, errors, skipped, flaky] = tally as [number, number, number, number, number, number]
  return { passed, failed, errors, skipped, flaky, duration_ms }
}
