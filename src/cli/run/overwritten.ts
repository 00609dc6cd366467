/** Longer texts between two carriage returns are no progress bar. Bounds what is held back. */
const LONGEST = 1024
const [CR, LF] = ['\r'.charCodeAt(0), '\n'.charCodeAt(0)]

const ERASURES = /\x1b\[[0-2]?K/g
const ESCAPES = /\x1b\[[0-?]*[ -/]*[@-~]/g
/** A share, a count of a total, an amount, a bar or a spinner: what progress looks like. */
const PROGRESS = /\d ?%|\b\d+ ?(?:\/|of) ?\d+\b|\d ?[kmgt]?i?b\b|[#=█▓▒░━─╸╺⠀-⣿]{3}|\[[#=.>\s-]{4,}\]|^\s*[\\|/⠀-⣿]\s/iu
/** Nothing that may be an error is progress, whatever it looks like. */
const TROUBLE =
  /\berr|error|fail|fatal|warn|exce(?:pt|ed)|den(?:y|ie)|can(?:no|')t|could|unable|un(?:de|re|kn|ex)|missing|\bnot\b|abort|panic|assert|crash|kill|time(?:d |-)?out|refus|invalid|corrupt|lost|\bretry/i
const NUMBERS = /(?<![\p{L}\p{N}_.])\d[\d.,:]*(?: ?(?:%|[kmgt]?i?b(?:ps)?|it|m?s|min|h)\b)?/giu
const WORDS = /\p{L}[\p{L}\p{N}_.\\/:-]*/gu

const wordsOf = (text: string) => text.replace(ESCAPES, '').replace(NUMBERS, ' ').match(WORDS) ?? []

/** Whether a text is only an earlier state of the progress that overwrites it: the same words, other numbers. */
function isEarlierState(before: string, after: string): boolean {
  if (before.replace(ERASURES, '').trim() === '') return true
  const visible = before.replace(ESCAPES, '')
  if (after.replace(ESCAPES, '').trim() === '') return false
  if (!PROGRESS.test(visible) || TROUBLE.test(visible)) return false
  const following = wordsOf(after)
  return wordsOf(before).every((word, at) => word === following[at])
}

/**
 * Drops what progress bars overwrite from a build's output, so that of each bar the last state is stored. Any other text before a carriage
 * return is kept: some tools end all lines with one. Line feeds are never dropped, so lines keep their numbers.
 */
export class Overwritten {
  /** At most two texts of which it is not known yet whether they are kept. */
  #open = Buffer.alloc(0)
  /** The start of the current text is passed on already. */
  #isLong = false

  /** Takes the next output, and returns what of it to store. */
  push(printed: Buffer): Buffer {
    const text = Buffer.concat([this.#open, printed])
    const kept: Buffer[] = []
    const endOf = endsOf(text)
    let [from, start] = [0, 0]
    while (true) {
      const end = endOf(start)
      if (end === NONE) break
      const isWhole = !this.#isLong && end - start <= LONGEST
      if (text[end] === CR && isWhole) {
        const [next, begins] = [endOf(end + 1), end + 1]
        if (next === NONE && text.length - begins <= LONGEST) break
        const isBar = next - begins <= LONGEST && text[begins] !== LF
        if (isBar && isEarlierState(text.toString('utf8', start, end), text.toString('utf8', begins, next))) {
          kept.push(text.subarray(from, start))
          from = begins
        }
      }
      this.#isLong = false
      start = end + 1
    }
    const open = this.#isLong || text.length - start > 2 * LONGEST + 1 ? text.length : start
    this.#isLong ||= open > start
    this.#open = Buffer.from(text.subarray(open))
    kept.push(text.subarray(from, open))
    return kept.length === 1 ? kept[0]! : Buffer.concat(kept)
  }

  /** The output is over: what was held back is stored. */
  end(): Buffer {
    const open = this.#open
    this.#open = Buffer.alloc(0)
    return open
  }
}

const NONE = Number.POSITIVE_INFINITY

/** Where the text that begins at a place ends: at a carriage return or a line feed. Places must be asked in their order. */
function endsOf(text: Buffer): (start: number) => number {
  let [back, feed] = [-1, -1]
  const next = (sign: number, start: number) => {
    const at = text.indexOf(sign, start)
    return at === -1 ? NONE : at
  }
  return (start) => {
    if (back < start) back = next(CR, start)
    if (feed < start) feed = next(LF, start)
    return Math.min(back, feed)
  }
}
