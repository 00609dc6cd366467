/** So much of a log shows how it is encoded. */
const READ = 4096
const MOST = 0.35

/** What becomes of the empty half of a two-byte character. */
const EMPTY_HALVES = ['\0', '\ufffd']

/** Two halves of a character beyond Latin letters, each of which looks like a letter by itself. */
const joined = (low: string, high: string) => String.fromCharCode(low.charCodeAt(0) | (high.charCodeAt(0) << 8))

/** UTF-16 that was read byte by byte: nearly every other character is empty, whatever it was replaced by. */
export function withoutEmptyHalves(raw: string): string {
  const sample = raw.slice(0, READ)
  const empty = EMPTY_HALVES.find((half) => sample.split(half).length - 1 > MOST * sample.length)
  if (empty === undefined) return raw
  let text = ''
  let at = 0
  while (at < raw.length) {
    const [low, high] = [raw[at]!, raw[at + 1]]
    // Behind a character that two bytes happened to spell, halves are paired anew.
    if (low === empty && high !== empty) at++
    else {
      text += high === empty || high === undefined || (low + high).match(/[^\0-\x7f]/) ? low : joined(low, high)
      at += 2
    }
  }
  return text
}
