/** Pieces are cut by bytes: an incomplete character at the end is left for the next one. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) return bytes
    if (byte >= 0xc0) return back < lengthFrom(byte) ? bytes.subarray(0, -back) : bytes
  }
  return bytes
}

/** The length in bytes of a character that starts with this byte. */
const lengthFrom = (first: number) => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)

/** As PostgreSQL counts them: characters above U+FFFF have length two here. */
export function charactersIn(text: string): number {
  let pairs = 0
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xdc00) pairs++
  return text.length - pairs
}

/** As PostgreSQL's `right` cuts: by characters. */
export function lastCharacters(text: string, count: number): string {
  let from = text.length
  for (let taken = 0; from > 0 && taken < count; taken++) from -= (text.charCodeAt(from - 1) & 0xfc00) === 0xdc00 ? 2 : 1
  return text.slice(from)
}
