import { LINE_CAP } from '../../src/diagnosis/log.ts'
import { TookTooLong, within } from '../../src/diagnosis/own-rules/within.ts'
import type { Pattern, Rule } from '../../src/diagnosis/rule.ts'
import { attacksOn, linesAround, patternsOf } from './attacks.ts'
import { stepsOf } from './match-steps.ts'

/** Steps per character of a line. */
const STEPS_MAX = 200
/** Up to this many, their growth does not matter. */
const STEPS_FREE = 24
/** The factor compared with a quarter of the line: one for linear work, four for quadratic. */
const GROWTH_MAX = 2.5
/** A pattern that reads the line this many times may be slow. */
const PASSES_FREE = 8
const ROUNDS = 24
/** For patterns that would hang forever. */
const CHECK_MS = 120_000

interface Stall {
  field: string
  line: string
}

/** Reads the line, does not match and tries nothing twice. */
const ONE_PASS = /^[^\n]*\n/

const timeOf = (pattern: Pattern, line: string) => {
  const began = performance.now()
  pattern.test(line)
  return performance.now() - began
}

const FULL_LINE = 'a'.repeat(LINE_CAP)
let onePass: number | undefined

/** A first check by the clock: most lines cost next to nothing, and one that a busy machine delays is only checked more closely. */
function isQuick(pattern: Pattern, line: string): boolean {
  onePass ??= Math.min(...Array.from({ length: ROUNDS }, () => timeOf(ONE_PASS, FULL_LINE)))
  pattern.test(line)
  return timeOf(pattern, line) < PASSES_FREE * onePass
}

/** The same attack on a shorter line, with the spoiler at its end. */
const quarterOf = (line: string) => line.slice(0, LINE_CAP / 4 - 1) + line.slice(-1)

const stepsPerCharacter = (pattern: Pattern, line: string) => stepsOf(pattern, line, STEPS_MAX * line.length) / line.length

/** Whether the line costs the pattern far more than reading it, or more per character the longer it is. */
export function isStalledBy(pattern: Pattern, line: string): boolean {
  if (isQuick(pattern, line)) return false
  const steps = stepsPerCharacter(pattern, line)
  return steps >= STEPS_MAX || (steps > STEPS_FREE && steps > GROWTH_MAX * stepsPerCharacter(pattern, quarterOf(line)))
}

/** Searches for a line that keeps one of the rule's patterns busy for too long. */
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
