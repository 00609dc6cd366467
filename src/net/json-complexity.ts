/** How many values a body may contain and how deep it may be nested; 26 MB of `{},` contain nine million. */
interface Bounds {
  values: number
  depth: number
}

/** More than any common body needs; reading this many takes some 10 ms. */
const LIGHT: Bounds = { values: 10_000, depth: 100 }

/**
 * The maximum that is parsed at all. The largest push, 2,048 commits of 300 files each, contains some 650,000 values, twice as many with a
 * line for each; a parsed value takes up to 120 bytes, so that any body fits into the memory of the process that reads it.
 */
export const READABLE: Bounds = { values: 1_500_000, depth: 500 }

const [NEXT, OPEN, CLOSE, TEXT] = [1, 2, 3, 4]
const [QUOTE, BACKSLASH, NEWLINE] = [0x22, 0x5c, 0x0a]

/** The meaning of a byte outside a text. Lines and forms have values too; those of a form may contain encoded JSON. */
const MEANING = new Uint8Array(256)
for (const [bytes, meaning] of [
  [',\n&%', NEXT],
  ['[{', OPEN],
  [']}', CLOSE],
  ['"', TEXT],
] as const)
  for (const byte of Buffer.from(bytes)) MEANING[byte] = meaning

/**
 * Whether parsing a body would block other requests. That depends on its content, not its size: a megabyte of log is one text and parsed at
 * once, a megabyte of keys is not.
 */
export const exceedsJsonComplexity = (body: Buffer) => exceeds(body, LIGHT)

export const exceeds = (body: Buffer, bounds: Bounds): boolean => countValues(body, bounds) === undefined

/** Counts without parsing. Undefined from the first value too many. */
export function countValues(body: Buffer, bounds: Bounds): number | undefined {
  let [values, depth] = [0, 0]
  const texts = openTexts(body)
  for (let i = 0; i < body.length; i++) {
    const meaning = MEANING[body[i]!]!
    if (meaning === 0) continue
    if (meaning === TEXT) i = texts.endOf(i)
    else if (meaning === CLOSE) depth--
    else if (++values > bounds.values || (meaning === OPEN && ++depth > bounds.depth)) return undefined
  }
  return values
}

/** This many bytes are read one by one before the native search is used: in a log it is forty times faster, in short texts slower. */
const SHORT = 64

function openTexts(body: Buffer) {
  let newline = -1
  /** Cached, so that many texts of one long line do not search for its end again and again. */
  const newlineAfter = (from: number) => {
    if (newline < from) newline = indexOf(body, NEWLINE, from)
    return newline
  }
  return {
    /** A text ends with its line at the latest: what follows is another value to a line-based reader. */
    endOf(begin: number): number {
      for (let i = begin + 1; ; ) {
        for (const walked = Math.min(body.length, i + SHORT); i < walked; i++) {
          if (body[i] === BACKSLASH) i++
          else if (body[i] === QUOTE) return i
          else if (body[i] === NEWLINE) return i - 1
        }
        const [quote, lineEnd] = [indexOf(body, QUOTE, i), newlineAfter(i)]
        if (quote >= lineEnd) return lineEnd - 1
        if (!isEscaped(body, quote, i)) return quote
        i = quote + 1
      }
    },
  }
}

/** The next position of the byte, or the end. */
const indexOf = (body: Buffer, byte: number, from: number) => {
  const found = body.indexOf(byte, from)
  return found === -1 ? body.length : found
}

/** Whether a byte follows an odd number of backslashes, none of them before `from`. */
function isEscaped(body: Buffer, at: number, from: number): boolean {
  let backslashes = 0
  while (at - backslashes > from && body[at - backslashes - 1] === BACKSLASH) backslashes++
  return backslashes % 2 === 1
}
