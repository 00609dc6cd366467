import type { Layer } from './layer.ts'

/** A number of its own column: `12 `, `12: `, `  12 | `. */
const NUMBER = /^ *(\d{1,7})(?:[:.)\]]? ?\| ?|[:.)] |\t| {1,2}|$)/
const ALL = 0.95
const FEWEST = 6

/** The number of the line, as viewers put it before each: it only ever grows. */
export function learnNumbers(lines: readonly string[]): Layer | null {
  if (lines.length < FEWEST) return null
  const numbers = lines.flatMap((line) => NUMBER.exec(line)?.[1] ?? []).map(Number)
  if (numbers.length < ALL * lines.length) return null
  const growing = numbers.filter((number, i) => i > 0 && number > numbers[i - 1]!).length
  if (growing < ALL * (numbers.length - 1)) return null
  return (text) => {
    const found = NUMBER.exec(text)
    return found && { rest: text.slice(found[0].length) }
  }
}
