import type { Log } from '../log.ts'
import { weigh } from './salient-lines.ts'

/** A line that only announces a failure and leaves the reason to the lines below. */
const ANNOUNCES =
  /^\W*(?:Execution failed for task|A (?:failure|problem) occurred|Multiple (?:task action )?failures|An exception occurred|What went wrong)|\b(?:failed|failures?|errors?|exception|problems?|following)\b[^'"`]{0,30}:\s*$|\(message\):\s*$|^Build file '|=== Critical error: ===|\bFatal error!?:? ?\[File:[^\]]{0,300}\](?: \[Line: \d+\])?\s*$|\b(?:linking|compilation|build command|script|task|step|command|resolution) (?:failed|error)\b|failed to run custom build command|\bsee (?:the )?(?:log|above|below|output|details)/i

/** A failed test's reason. */
export const REASON = /\b(?:\w*(?:Error|Exception|Failure)\b|assert\w*|[Ee]xpected|[Ff]ailed asserting|panicked|did not|should)/

const CAUSED = /^\s*(?:Caused by|Reason|Cause): ?(?=\S)/
const FRAME = /^\s+(?:at |from |File "|#\d+ |\.{3} \d+ )|^\s*\.{3} \d+ |\[Callstack\]/
/** Advice, not a reason. */
const ADVICE = /^\W*(?:Run with|Get more help|Try:|Run `|note: run with|For more|Please (?:see|refer|check)|Use '|hint:)/i

/** Only a count of errors. */
const COUNT = /^\W*\d+ (?:errors?|warnings?|problems?|failures?)\b.{0,30}$/i

const WITHIN = 60

/** Its value as a reason; the innermost cause of a chain is worth more than the ones around it. */
const worthOf = (line: string) =>
  FRAME.test(line) || ADVICE.test(line) || COUNT.test(line) || ANNOUNCES.test(line)
    ? Number.NEGATIVE_INFINITY
    : weigh(line) + (CAUSED.test(line) ? 6 : 0)

/** A reason must be more than an empty statement. */
const MEANINGFUL = 3

/** The line of a block with the reason, if its lead only announces it, or is the outside of a chain of causes. The deepest of equals. */
export function reasonIn(log: Log, lead: number, lines: readonly number[]): number {
  const below = lines.filter((index) => index > lead && index <= lead + WITHIN)
  const chained = below.some((index) => CAUSED.test(log.text[index]!))
  if (!chained && !ANNOUNCES.test(log.text[lead]!)) return lead
  let best = lead
  let most = chained ? Math.max(MEANINGFUL, weigh(log.text[lead]!)) : MEANINGFUL
  for (const index of below) {
    const worth = worthOf(log.text[index]!)
    if (worth < most || (worth === most && !CAUSED.test(log.text[index]!) && best !== lead)) continue
    best = index
    most = worth
  }
  return best
}
