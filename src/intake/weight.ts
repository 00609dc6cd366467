/** More values than this, or a deeper nest, is more than anything made of a common body needs; reading so many takes some 10 ms. */
const VALUES_MAX = 10_000
const DEPTH_MAX = 100

const [NEXT, OPEN, CLOSE, TEXT] = [1, 2, 3, 4]
const [QUOTE, BACKSLASH] = [...Buffer.from('"\\')]

/** What a byte outside a text means. Lines and forms have values too; those of a form may hold encoded JSON. */
const MEANING = new Uint8Array(256)
for (const [bytes, meaning] of [
  [',\n&%', NEXT],
  ['[{', OPEN],
  [']}', CLOSE],
  ['"', TEXT],
] as const)
  for (const byte of Buffer.from(bytes)) MEANING[byte] = meaning

/**
 * Whether reading a body would keep everybody else waiting. That goes by what it holds, not by its size: a megabyte of log is one
 * text and read at once, a megabyte of keys is not.
 */
export function isHeavy(body: Buffer): boolean {
  let [values, depth] = [0, 0]
  for (let i = 0; i < body.length; i++) {
    const meaning = MEANING[body[i]!]!
    if (meaning === 0) continue
    if (meaning === TEXT) i = endOfText(body, i)
    else if (meaning === CLOSE) depth--
    else if (++values > VALUES_MAX || (meaning === OPEN && ++depth > DEPTH_MAX)) return true
  }
  return false
}

function endOfText(body: Buffer, begin: number): number {
  for (let i = begin + 1; i < body.length; i++) {
    if (body[i] === BACKSLASH) i++
    else if (body[i] === QUOTE) return i
  }
  return body.length
}
