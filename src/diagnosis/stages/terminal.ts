/**
 * Control characters, with the whole sequence if one starts it: colors and the like, none of which spans lines. All alternatives start with
 * the same class, so that the characters between are skipped quickly.
 */
const INSTRUCTIONS =
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff](?:(?<=\x1b)(?:\[[0-?]*[ -/]*[@-~]|[\]_P^X][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[ -/]*[0-Z\\-~]))?/g

/** A carriage return moves the cursor back: the last text is the visible one. */
const resolveReturns = (line: string) => {
  if (!line.includes('\r')) return line
  const parts = line.split('\r')
  for (let i = parts.length - 1; i >= 0; i--) if (parts[i]!.trim() !== '') return parts[i]!
  return ''
}

const NARROWEST = 16

/** UTF-16 read byte by byte leaves a zero, sometimes printed as a space, after every character. */
const narrow = (printed: string) => {
  if (printed.length < NARROWEST) return printed
  // Behind a line feed stands the other half of it.
  const line = printed[0] === ' ' && printed[2] === ' ' && printed[1] !== ' ' ? printed.slice(1) : printed
  if (line.length < NARROWEST || line[1] !== ' ' || line[3] !== ' ' || line[5] !== ' ' || line[7] !== ' ' || line[9] !== ' ')
    return printed
  let letters = ''
  for (let i = 0; i < line.length; i += 2) {
    if (i + 1 < line.length && line[i + 1] !== ' ') return printed
    letters += line[i]
  }
  return letters
}

/** Removes terminal sequences; `printed` handles carriage returns within a line. */
export const withoutEscapes = (raw: string) => raw.replace(INSTRUCTIONS, '').replaceAll('\r\n', '\n')

/** The visible text in the end. */
export const printed = (line: string) => narrow(resolveReturns(line))

/** The same for lines of this log. Few logs have carriage returns: that is checked once, not for every line. */
export const printedIn = (log: string): ((line: string) => string) => (log.includes('\r') ? printed : narrow)
