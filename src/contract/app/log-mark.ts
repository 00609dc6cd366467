/** How many complete lines at the end of a log identify it: enough that no build prints the same twice. */
const LINES = 50

const SEED = 0x811c9dc5
const step = (h: number, part: number) => Math.imul(h ^ part, 0x01000193)
const hash = (line: string): number => {
  let h = SEED
  for (let i = 0; i < line.length; i++) h = step(h, line.charCodeAt(i))
  return h >>> 0
}
const hex = (n: number) => (n >>> 0).toString(16).padStart(8, '0')
const wholeLines = (text: string) =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1)

/** For `count` lines before `end`, by their hashes: many equal lines cost no more than others. */
function markAt(hashes: readonly number[], end: number, count: number): string {
  let h = SEED
  for (let i = end - count; i < end; i++) h = step(step(h, hashes[i]!), i - end)
  return `${count}-${hex(hashes[end - 1]!)}-${hex(h)}`
}

/** Identifies the part of a log that a client has, so that the server can find where to continue; undefined if there is none yet. */
export function markOf(text: string): string | undefined {
  const hashes = wholeLines(text).slice(-LINES).map(hash)
  return hashes.length === 0 ? undefined : markAt(hashes, hashes.length, hashes.length)
}

/** The rest of a log after the complete lines of a mark; undefined if they are nowhere, or in several places. */
export function restAfter(log: string, mark: string): string | undefined {
  const [, digits = '0', last = ''] = /^([1-9]\d?)-([\da-f]{8})-[\da-f]{8}$/.exec(mark) ?? []
  const count = Number(digits)
  if (count === 0 || count > LINES) return undefined
  const lines = wholeLines(log)
  const hashes = lines.map(hash)
  const wanted = Number.parseInt(last, 16)
  let at = 0
  let found: number | undefined
  for (const [i, line] of lines.entries()) {
    at += line.length + 1
    if (i + 1 < count || hashes[i] !== wanted || markAt(hashes, i + 1, count) !== mark) continue
    if (found !== undefined) return undefined
    found = at
  }
  return found === undefined ? undefined : log.slice(found)
}

/** Appends the rest to the complete lines of a log. */
export const continued = (text: string, rest: string): string => text.slice(0, text.lastIndexOf('\n') + 1) + rest
