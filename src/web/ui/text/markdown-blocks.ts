/** The little Markdown that set-up guides are written in, read into blocks: headings, lists with blocks inside, code, paragraphs. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; start: number; items: Block[][] }
  | { kind: 'paragraph'; text: string }

const ITEM = /^(\d{1,3}\.|-) (.*)$/
const FENCE = '```'

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const heading = /^(#{1,4}) (.*)$/.exec(line)
    const item = ITEM.exec(line)
    if (line.trim() === '') at += 1
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! })
      at += 1
    } else if (line.startsWith(FENCE)) {
      const end = endOfCode(lines, at)
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') })
      at = end + 1
    } else if (item) {
      const [inside, next] = itemFrom(lines, at, item[0].length - item[2]!.length)
      const ordered = item[1] !== '-'
      const last = blocks.at(-1)
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push(inside)
      else blocks.push({ kind: 'list', ordered, start: ordered ? Number.parseInt(item[1]!, 10) : 1, items: [inside] })
      at = next
    } else {
      const end = lines.findIndex((text, i) => i > at && (text.trim() === '' || text.startsWith(FENCE) || ITEM.test(text)))
      const until = end === -1 ? lines.length : end
      blocks.push({ kind: 'paragraph', text: lines.slice(at, until).join(' ') })
      at = until
    }
  }
  return blocks
}

const endOfCode = (lines: string[], start: number) => {
  const end = lines.findIndex((line, i) => i > start && line.startsWith(FENCE))
  return end === -1 ? lines.length : end
}

/** An item goes on as long as lines are empty or indented as far as its own text. */
function itemFrom(lines: string[], start: number, indent: number): [Block[], number] {
  let end = start + 1
  const margin = ' '.repeat(indent)
  while (end < lines.length && (lines[end]!.startsWith(margin) || lines[end]!.trim() === '')) end += 1
  const own = [lines[start]!.slice(indent), ...lines.slice(start + 1, end).map((line) => line.slice(indent))]
  return [blocksOf(own.join('\n')), end]
}
