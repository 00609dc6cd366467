const ERROR =
  /\b(?:errors?|fatal|exception|failed|failure|panic(?:ked)?|undefined reference|unresolved external|segmentation fault)\b/i
const HARMLESS = /\b(?:no|0|zero) (?:errors?|failures?|failed)\b|\b(?:errors?|failed|failures?)(?:\(s\))?[:=] ?0\b|-W?no-error/i
/** Longer lines are data, not text. */
const LOOK = 2_000

/** Line numbers that look like an error, counted from one. */
export const errorLines = (lines: readonly { text: string }[]): number[] =>
  lines.flatMap(({ text }, i) => {
    const start = text.length > LOOK ? text.slice(0, LOOK) : text
    return ERROR.test(start) && !HARMLESS.test(start) ? [i + 1] : []
  })

/** The next of the numbers in a direction, wrapping around. */
export function stepFrom(numbers: readonly number[], current: number | undefined, direction: 1 | -1): number | undefined {
  if (direction === 1) return numbers.find((n) => n > (current ?? 0)) ?? numbers[0]
  return numbers.findLast((n) => n < (current ?? Number.POSITIVE_INFINITY)) ?? numbers.at(-1)
}
