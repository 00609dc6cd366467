/** The Markdown of setup guides and of people's texts, parsed into blocks: headings, lists with blocks inside, code, paragraphs. */
export type Block =
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'list'; ordered: boolean; start: number; items: Block[][] }
  | { kind: 'paragraph'; text: string }

const ITEM = /^(\d{1,3}\.|[-*]) (.*)$/
const FENCE = '```'
/** Deeper lists are text: nobody writes them, and a hostile text would have thousands. */
const DEPTH_MAX = 6

export function blocksOf(markdown: string, depth = 0): Block[] {
  const lines = markdown.split('\n')
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const line = lines[at]!
    const heading = /^(#{1,4}) (.*)$/.exec(line)
    const item = depth < DEPTH_MAX ? ITEM.exec(line) : null
    if (line.trim() === '') at += 1
    else if (heading) {
      blocks.push({ kind: 'heading', level: heading[1]!.length, text: heading[2]! })
      at += 1
    } else if (line.startsWith(FENCE)) {
      const end = nextLine(lines, at + 1, (text) => text.startsWith(FENCE))
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') })
      at = end + 1
    } else if (item) {
      const [inside, next] = itemFrom(lines, at, item[0].length - item[2]!.length, depth)
      const ordered = item[1] !== '-' && item[1] !== '*'
      const last = blocks.at(-1)
      if (last?.kind === 'list' && last.ordered === ordered) last.items.push(inside)
      else blocks.push({ kind: 'list', ordered, start: ordered ? Number.parseInt(item[1]!, 10) : 1, items: [inside] })
      at = next
    } else {
      const end = nextLine(lines, at + 1, (text) => text.trim() === '' || text.startsWith(FENCE) || ITEM.test(text))
      blocks.push({ kind: 'paragraph', text: lines.slice(at, end).join('\n') })
      at = end
    }
  }
  return blocks
}

function nextLine(lines: readonly string[], from: number, is: (line: string) => boolean): number {
  let at = from
  while (at < lines.length && !is(lines[at]!)) at += 1
  return at
}

/** An item continues as long as lines are empty or indented as far as its own text. */
function itemFrom(lines: string[], start: number, indent: number, depth: number): [Block[], number] {
  const margin = ' '.repeat(indent)
  const end = nextLine(lines, start + 1, (line) => !line.startsWith(margin) && line.trim() !== '')
  const own = [lines[start]!.slice(indent), ...lines.slice(start + 1, end).map((line) => line.slice(indent))]
  return [blocksOf(own.join('\n'), depth + 1), end]
}
