import { commonIndent, type Layer, shareOf, withoutIndent } from './layer.ts'

/** A date, a time or both, in any format and brackets. */
const STAMP =
  /^[[(<]?(?:(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/ ](?:\d\d|[A-Z][a-z]{2})[-/ ]\d{4}|(?:[A-Z][a-z]{2},? )?(?:[A-Z][a-z]{2} [ \d]\d|\d\d [A-Z][a-z]{2})(?: \d{4})?)[T _-]{1,2})?\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?(?:[\])>](?:: ?)?|(?=$|[^\w.]))/

/** A level, a frame, or the name of a stream, in a separate column right after the time. */
const MARK = /^(?:\d{1,2}[A-Za-z][ +]|[ A-Za-z]:(?=[ \t])| *[A-Z]{4,8} +-(?= |$)|\[ *\d{1,9}\]|(?:stdout|stderr) [FP](?: |$))/

const MOST = 0.6
const ALL = 0.9

const learn = (lines: readonly string[], prefix: RegExp, share: number): Layer | null => {
  if (shareOf(lines, (line) => prefix.test(line)) < share) return null
  const rests = lines.flatMap((line) => (prefix.test(line) ? [line.replace(prefix, '')] : []))
  const indent = commonIndent(rests)
  return (text) => {
    const found = prefix.exec(text)
    return found && { rest: withoutIndent(text.slice(found[0].length), indent) }
  }
}

/** The time before each line. Multi-line messages have it only before their first line. */
export const learnStamp = (lines: readonly string[]): Layer | null => learn(lines, STAMP, MOST)

export const learnMark = (lines: readonly string[]): Layer | null => learn(lines, MARK, ALL)
