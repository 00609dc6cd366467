import type { Rule } from '../../src/diagnosis/rule.ts'
import { TookTooLong, within } from '../../src/diagnosis/within.ts'
import { attacksOn, linesAround, patternsOf } from './attacks.ts'

/** A line may cost a pattern this much; all hostile lines together that much. */
const LINE_MS = 15
const CHECK_MS = 3_000

interface Stall {
  field: string
  line: string
}

/** Counts work, not waiting: the machine has other things to do too. */
const exceeds = (work: () => void): boolean => {
  const [began, used] = [performance.now(), process.cpuUsage()]
  work()
  return performance.now() - began > LINE_MS && process.cpuUsage(used).user / 1000 > LINE_MS
}

/** Three times, because a pattern is compiled only when it is used more than once. */
const isSlow = (work: () => void) => exceeds(work) && exceeds(work) && exceeds(work)

/** Looks for a line that keeps one of the rule's patterns busy for too long. */
export function findStall(rule: Rule): Stall | undefined {
  let trying: Stall | undefined
  try {
    return within(CHECK_MS, () => {
      const around = linesAround(rule.need)
      for (const [field, pattern] of patternsOf(rule))
        for (const line of [...attacksOn(pattern), ...around]) {
          trying = { field, line }
          if (isSlow(() => pattern.test(line))) return trying
        }
      return undefined
    })
  } catch (error) {
    if (error instanceof TookTooLong) return trying
    throw error
  }
}
