import { commonIndent, type Layer, shareOf, withoutIndent } from './layer.ts'

const NEARLY_ALL = 0.98
/** Tools indent what they say by blanks, too: of those it takes more lines. */
const FEWEST_TABS = 4
const FEWEST_BLANKS = 12

/** Blanks before every line: somebody indented the whole log. */
export function learnIndent(lines: readonly string[]): Layer | null {
  const fewest = lines.every((line) => line.startsWith('\t')) ? FEWEST_TABS : FEWEST_BLANKS
  const indent = lines.length < fewest ? 0 : commonIndent(lines)
  return indent === 0 ? null : (text) => (/^\s/.test(text) ? { rest: withoutIndent(text, indent) } : null)
}

const NODE = /^ {0,3}\d{1,3}>/
const MOST = 0.6

/** The number of a build node before each line, blanks of the line itself kept. */
export function learnNode(lines: readonly string[]): Layer | null {
  if (shareOf(lines, (line) => NODE.test(line)) < MOST) return null
  return (text) => {
    const found = NODE.exec(text)
    return found && { rest: text.slice(found[0].length) }
  }
}

/** One blank behind every line. */
export function learnTrailing(lines: readonly string[]): Layer | null {
  if (shareOf(lines, (line) => line.endsWith(' ')) < NEARLY_ALL) return null
  return (text) => (text.endsWith(' ') ? { rest: text.slice(0, -1) } : null)
}
