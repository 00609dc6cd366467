import { withoutEscapes } from '../stages/terminal.ts'
import { type Layer, shareOf, tallyOf } from './layer.ts'

const looksWrapped = (line: string) => line.startsWith('{') && line.trimEnd().endsWith('}')

function open(line: string): Record<string, unknown> | null {
  if (!looksWrapped(line)) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}

const ALL = 0.9

/** JSON lines: the text is the field that differs in nearly every line and is the longest. */
export function learnEnvelope(lines: readonly string[]): Layer | null {
  if (shareOf(lines, looksWrapped) < ALL) return null
  const said = new Map<string, string[]>()
  for (const line of lines)
    for (const [key, value] of Object.entries(open(line) ?? {}))
      if (typeof value === 'string') said.set(key, [...(said.get(key) ?? []), value])
  let best: string | undefined
  let most = 0
  for (const [key, values] of said) {
    if (values.length < lines.length / 2) continue
    const letters = [...tallyOf(values).keys()].reduce((sum, value) => sum + value.replace(/[\d\W]/g, '').length, 0)
    if (letters > most) [best, most] = [key, letters]
  }
  if (best === undefined) return null
  const key = best
  return (text) => {
    const value = open(text)?.[key]
    return typeof value === 'string' ? { rest: withoutEscapes(value.replace(/\n+$/, '').replaceAll('\n', ' ')) } : null
  }
}
