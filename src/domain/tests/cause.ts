import type { TestCase } from '../../test-results/test-case.ts'
import { placeIn } from '../../test-results/text.ts'

const CAUSE_MAX = 200

/** The first line of a message without what differs between cases that fail for one reason: numbers, addresses, paths and quoted texts. */
export function causeOf(message: string): string {
  const line = message.split('\n').find((each) => each.trim() !== '') ?? ''
  return line
    .slice(0, 4 * CAUSE_MAX)
    .replace(/0x[0-9a-f]+/gi, '#')
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '"…"')
    .replace(/(?:[A-Za-z]:)?(?:[\w.+-]*[\\/])+[\w.+-]+/g, '…')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/gi, '#')
    .replace(/-?\d+(?:[.,]\d+)*/g, '#')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, CAUSE_MAX)
}

/** The source file in which a case failed: that of the stack trace, otherwise that of the case, or its class. */
export function placeOf({ class: className, suite, name, details, file }: Omit<TestCase, 'outcome'>): string {
  const place = placeIn(details).file || file || className || suite || name
  return place.slice(Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\')) + 1).toLowerCase()
}

/** Messages that compare values: unrelated tests fail with the same words. */
const ASSERTION =
  /\b(?:assert\w*|expect\w*|actual|should|equal\w*|but (?:was|got)|(?:is|was|not|be) (?:true|false|null|empty|zero|#))\b/i
/** If so many tests, and a tenth of all, fail with the same words, something that they share is the cause, such as a server. */
const SHARED_MIN = 10
const SHARED_SHARE = 0.1

interface Failed {
  id: string
  cause: string
  place: string
}

/** The failures of a build by cause: the same message in the same place. `tests`: how many the build ran. */
export function byCause<Failure extends Failed>(failures: readonly Failure[], tests: number): Failure[][] {
  const words = new Map<string, number>()
  for (const { cause } of failures) words.set(cause, (words.get(cause) ?? 0) + 1)
  const isShared = (cause: string) => words.get(cause)! >= Math.max(SHARED_MIN, SHARED_SHARE * tests) && !ASSERTION.test(cause)
  const groups = new Map<string, Failure[]>()
  for (const failure of failures) {
    const { id, cause, place } = failure
    const key = cause === '' ? id : isShared(cause) ? cause : `${cause}\n${place}`
    const group = groups.get(key)
    if (group) group.push(failure)
    else groups.set(key, [failure])
  }
  return [...groups.values()]
}
