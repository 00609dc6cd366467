import { LINE_CAP } from '../../src/diagnosis/log.ts'
import { TookTooLong, within } from '../../src/diagnosis/own-rules/within.ts'
import type { Pattern, Rule } from '../../src/diagnosis/rule.ts'
import { workOf } from '../support/work.ts'
import { attacksOn, linesAround, patternsOf } from './attacks.ts'

/** A pattern may cost as much as reading the line this many times. */
const PASSES_MAX = 64
/** Up to this many passes nobody minds how they grow with the line. */
const PASSES_FREE = 8
/** How many times the passes over a quarter of the line: once for linear work, four times for quadratic. */
const GROWTH_MAX = 2.5
const ROUNDS = 8
/** For what would hang for good. */
const CHECK_MS = 120_000

interface Stall {
  field: string
  line: string
}

/** Reads the line, does not match and tries nothing twice. */
const ONE_PASS = /^[^\n]*\n/

/** Milliseconds of work for each character; threads of this process count as its work, so the clock is an upper limit. */
function costOf(pattern: Pattern, line: string, tries: number): number {
  const began = performance.now()
  const work = workOf(() => {
    for (let i = 0; i < tries; i++) pattern.test(line)
  })
  return Math.min(work, performance.now() - began) / (tries * line.length)
}

/** Once is chance: the machine has other things to do too. */
const always = (holds: () => boolean) => Array.from({ length: ROUNDS }).every(holds)

const FULL_LINE = 'a'.repeat(LINE_CAP)
const onePass = () => costOf(ONE_PASS, FULL_LINE, 50)
let quickest: number | undefined

/** A first look: most lines cost next to nothing. */
function isQuick(pattern: Pattern, line: string): boolean {
  quickest ??= Math.min(...Array.from({ length: 3 * ROUNDS }, onePass))
  pattern.test(line)
  return costOf(pattern, line, 1) < PASSES_FREE * quickest
}

/** The same attack on a shorter line: what spoils the match stays at its end. */
const quarterOf = (line: string) => line.slice(0, LINE_CAP / 4 - 1) + line.slice(-1)

/**
 * Whether the line costs the pattern far more than reading it, or more for each character the longer it is. What is compared is measured
 * in turn, as a busy machine slows down all of it.
 */
export function isStalledBy(pattern: Pattern, line: string): boolean {
  if (isQuick(pattern, line)) return false
  const quarter = quarterOf(line)
  const passes = () => costOf(pattern, line, 4) / onePass()
  const growth = () => costOf(pattern, line, 4) / costOf(pattern, quarter, 16)
  return always(() => passes() > PASSES_MAX) || always(() => growth() > GROWTH_MAX && passes() > PASSES_FREE)
}

/** Looks for a line that keeps one of the rule's patterns busy for too long. */
export function findStall(rule: Rule): Stall | undefined {
  let trying: Stall | undefined
  try {
    return within(CHECK_MS, () => {
      const around = linesAround(rule.need)
      for (const [field, pattern] of patternsOf(rule))
        for (const line of [...attacksOn(pattern), ...around]) {
          trying = { field, line }
          if (isStalledBy(pattern, line)) return trying
        }
      return undefined
    })
  } catch (error) {
    if (error instanceof TookTooLong) return trying
    throw error
  }
}
