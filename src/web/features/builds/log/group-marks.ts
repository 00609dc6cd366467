/** The meaning of a line for the sections of a log. */
export type Mark =
  /** `skip`: the number of characters before the title. `title`: if the line does not show it. */
  | { kind: 'open'; family: Family; name: string; isFolded?: boolean; skip?: number; title?: string }
  | { kind: 'close'; family: Family; name: string }

/**
 * Sections of one family end each other. Those of `header` and `node` continue until the next. The last four have no reliable end: each
 * ends where any family before it in this list starts.
 */
export type Family =
  | 'group'
  | 'section'
  | 'block'
  | 'header'
  | 'node'
  | 'stage'
  | 'phase'
  | 'command'
  | 'engine phase'
  | 'inner phase'
  | 'task'

const SECTION = /section_(start|end):\d{1,20}:([\w.-]{1,200})(\[[^\]\r]{0,200}\])?\r/g
const BLOCK = /^##teamcity\[block(Opened|Closed) ([^\]]{0,1000})\]?/
const GROUP = /^(?:##\[group\]|::group::)/
const GROUP_END = /^(?:##\[endgroup\]|::endgroup::)/
/** A heading of three characters. Go tests report with dashes too. */
const HEADER = /^(?:---|\+\+\+|~~~) (?!PASS|FAIL|SKIP|BENCH)(?=\S)/
const DIFF = /^(?:---|\+\+\+) /
const STAGE = /^\[Pipeline\] (?:\{ ?(?:\((.{1,200})\))?|\}) ?$/
/** A node of Unreal's BuildGraph. */
const NODE = /^\*{6} \[\d{1,4}\/\d{1,4}\] (?=\S)/
const PHASE = /^\*{5,} (\w[\w ]{0,60}) COMMAND (STARTED|COMPLETED|FAILED) \*{5,}/
const MAYBE = /^(?:##|::|---|\+\+\+|~~~|\[Pipeline\]|\*{5})/

/** `around`: the lines before and after, to tell a heading from the file names of a diff. */
export function marksOf(raw: string, text: string, around: readonly [string, string]): Mark[] {
  if (raw.includes('section_')) {
    const sections = [...raw.matchAll(SECTION)]
    if (sections.length > 0)
      return sections.map(([, which, name = '', options = '']) =>
        which === 'start'
          ? {
              kind: 'open',
              family: 'section',
              name,
              isFolded: options.includes('collapsed=true'),
              ...(text === '' && { title: name }),
            }
          : { kind: 'close', family: 'section', name },
      )
  }
  if (!MAYBE.test(text)) return []
  const mark =
    groupMark(text) ?? blockMark(text) ?? headerMark(text, around) ?? nodeMark(text) ?? stageMark(text) ?? phaseMark(text)
  return mark ? [mark] : []
}

function groupMark(text: string): Mark | undefined {
  const start = GROUP.exec(text)
  if (start) return { kind: 'open', family: 'group', name: '', skip: start[0].length }
  return GROUP_END.test(text) ? { kind: 'close', family: 'group', name: '' } : undefined
}

/** Values are quoted; a bar escapes. */
const attributeOf = (attributes: string, name: string) =>
  new RegExp(`\\b${name}='((?:[^'|]|\\|.){0,500})'`).exec(attributes)?.[1]?.replace(/\|(.)/g, '$1')

function blockMark(text: string): Mark | undefined {
  const [, which, attributes = ''] = BLOCK.exec(text) ?? []
  const name = which && (attributeOf(attributes, 'name') ?? '')
  if (name === undefined) return undefined
  return which === 'Closed' ? { kind: 'close', family: 'block', name } : { kind: 'open', family: 'block', name, title: name }
}

function headerMark(text: string, [before, after]: readonly [string, string]): Mark | undefined {
  const sign = text.slice(0, 3)
  const isDiff = DIFF.test(text) && (sign === '---' ? after.startsWith('+++ ') : before.startsWith('--- '))
  if (isDiff || !HEADER.test(text)) return undefined
  return { kind: 'open', family: 'header', name: '', skip: 4, isFolded: sign === '~~~' }
}

const nodeMark = (text: string): Mark | undefined => {
  const found = NODE.exec(text)
  return found ? { kind: 'open', family: 'node', name: '', skip: 7 } : undefined
}

/** Braces without a name belong to the content of a stage. */
function stageMark(text: string): Mark | undefined {
  const found = STAGE.exec(text)
  if (!found) return undefined
  return text.includes('}')
    ? { kind: 'close', family: 'stage', name: '' }
    : { kind: 'open', family: 'stage', name: '', title: found[1] ?? '' }
}

function phaseMark(text: string): Mark | undefined {
  const [, name, which] = PHASE.exec(text) ?? []
  if (name === undefined) return undefined
  return which === 'STARTED' ? { kind: 'open', family: 'phase', name, title: name } : { kind: 'close', family: 'phase', name }
}
