import { isSaid, type Layer, shareOf, tallyOf, withoutNumbers } from './layer.ts'

/** How a carrier writes the origin of a line: `[linux] `, `server_1  | `, `job<TAB>`. */
const SHAPES: readonly { shape: RegExp; share: number }[] = [
  { shape: /^\[([^\][]{1,60})\](?: |$)/, share: 0.6 },
  { shape: /^([\w.@/-]{1,60}) *\|(?: |$)/, share: 0.9 },
  { shape: /^([^\t]{1,120})\t/, share: 0.9 },
]

const MOST_ORIGINS = 40
/** An origin has many lines: a word that occurs once or twice is part of the line. */
const LINES_EACH = 4

const originOf = (line: string, shape: RegExp) => shape.exec(line)?.[1]

function isOrigin(found: readonly string[], all: number, share: number): boolean {
  const tally = [...tallyOf(found.map(withoutNumbers))]
  const common = tally.filter(([, lines]) => lines >= LINES_EACH)
  if (common.length === 0 || common.length > MOST_ORIGINS || common.some(([value]) => isSaid(value))) return false
  // A single one has no meaning unless it is before everything.
  if (common.length === 1 && common[0]![1] < 0.9 * all) return false
  return common.reduce((sum, [, lines]) => sum + lines, 0) >= share * all
}

/** The branch, service, job or step before each line. */
export function learnOrigin(lines: readonly string[]): Layer | null {
  for (const { shape, share } of SHAPES) {
    if (shareOf(lines, (line) => shape.test(line)) < share) continue
    const found = lines.flatMap((line) => originOf(line, shape) ?? [])
    if (!isOrigin(found, lines.length, share)) continue
    return (text) => {
      const value = shape.exec(text)
      return value && { rest: text.slice(value[0].length), branch: value[1] }
    }
  }
  return null
}

/** Up to a colon, the same few before nearly every line: a host and its process, classes that forward another's output. */
const SENDER = /^([^\s:][^:]{5,80}): ?/
const ALL = 0.9

/** A single word before a colon may as well be a category of the tool itself. */
const isSender = (name: string) =>
  !/^\w+$|[\\/(]/.test(name) && !name.split(/[\W\d]+/).some((word) => word !== '' && isSaid(word))

export function learnSender(lines: readonly string[]): Layer | null {
  const found = lines.flatMap((line) => SENDER.exec(line)?.[1] ?? []).map(withoutNumbers)
  const common = [...tallyOf(found)].filter(([name, count]) => count >= LINES_EACH && isSender(name))
  const [most = 0] = common.map(([, count]) => count).sort((a, b) => b - a)
  if (most < lines.length / 2 || common.reduce((sum, [, count]) => sum + count, 0) < ALL * lines.length) return null
  const names = new Set(common.map(([name]) => name))
  return (text) => {
    const sender = SENDER.exec(text)
    return sender && names.has(withoutNumbers(sender[1]!)) ? { rest: text.slice(sender[0].length) } : null
  }
}
