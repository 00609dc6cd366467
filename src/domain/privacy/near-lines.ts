import { Literals } from '../../diagnosis/stages/literals.ts'

/**
 * Rewrites only lines that contain one of these literals, each with the line after it, where a value may follow its name. The rest of a
 * log costs one pass over its characters.
 */
export function rewriteNear(near: readonly string[], rewrite: (lines: string) => string): (text: string) => string {
  const literals = new Literals(near, { ignoreCase: true })
  return (text) => {
    let out = ''
    let copied = 0
    for (let hit = literals.endOfFirst(text, 0); hit !== -1; ) {
      const from = text.lastIndexOf('\n', hit - 1) + 1
      let to = endOfNext(text, hit)
      // Neighbors with a literal are read together.
      for (hit = literals.endOfFirst(text, endOf(text, hit)); hit !== -1 && hit <= to; ) {
        to = endOfNext(text, hit)
        hit = literals.endOfFirst(text, endOf(text, hit))
      }
      const lines = text.slice(from, to)
      const rewritten = rewrite(lines)
      if (rewritten === lines) continue
      out += text.slice(copied, from) + rewritten
      copied = to
    }
    return copied === 0 ? text : out + text.slice(copied)
  }
}

const endOf = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

const endOfNext = (text: string, from: number): number => endOf(text, endOf(text, from) + 1)
