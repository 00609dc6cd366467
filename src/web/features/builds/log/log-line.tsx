import { Link } from '@tanstack/react-router'
import { type CSSProperties, type MouseEvent, memo } from 'react'
import { Icon } from '../../../ui/icon.tsx'
import type { Group } from './groups.ts'
import { linksOf, type Whereabouts } from './links.ts'
import { type Piece, type Stretch, stretchesOf } from './pieces.ts'
import type { LogLine as Line } from './read-log.ts'
import type { Range } from './search.ts'
import type { Style } from './text-style.ts'

export const ROW = 20
/** The maximum rendered length: one endless line would freeze the page. */
export const DRAWN = 4_000

const LOOKS = {
  plain: 'border-transparent bg-canvas hover:bg-hover',
  marked: 'border-err bg-err-wash',
  current: 'border-accent bg-accent-wash',
}

interface Props {
  n: number
  line: Line
  /** In rows. */
  height: number
  isWrapped: boolean
  showsStamp: boolean
  look: keyof typeof LOOKS
  found: readonly Range[]
  where: Whereabouts
  group: Group | undefined
  isFolded: boolean
  onPick(line: number, isExtending: boolean): void
  onFold(group: Group): void
}

/** Without an inline style if possible: such elements share one, and styles are most of the cost of scrolling. */
export const LogLine = memo((props: Props) => {
  const { n, line, height, isWrapped, showsStamp, look, group, onPick } = props
  const pick = (event: MouseEvent) => {
    event.preventDefault()
    onPick(n, event.shiftKey)
  }
  return (
    <div
      data-line={n}
      style={height === 1 ? undefined : { height: height * ROW }}
      className={`flex overflow-y-clip border-l-3 ${height === 1 ? 'h-[20px]' : ''} ${LOOKS[look]}`}
    >
      {group && <Fold {...props} group={group} />}
      <a
        href={`#L${n}`}
        tabIndex={-1}
        aria-label={`Line ${n}`}
        onClick={pick}
        className="sticky left-0 z-1 mr-[1ch] w-(--gutter) shrink-0 select-none bg-inherit pr-[1ch] text-right text-faint tabular-nums hover:text-ink"
      >
        {n}
      </a>
      <span
        dir="ltr"
        className={`${isWrapped ? 'min-w-0 flex-1 whitespace-break-spaces wrap-anywhere [line-break:anywhere] break-all' : 'whitespace-pre'} ${group ? 'font-semibold' : ''}`}
      >
        {showsStamp && line.stamp && <span className="text-faint">{line.stamp} </span>}
        <Text {...props} />
      </span>
    </div>
  )
})

const Fold = ({ group, line, isFolded, onFold }: Props & { group: Group }) => (
  <button
    type="button"
    aria-expanded={!isFolded}
    aria-label={`${line.text.slice(0, 80) || 'Part'}: ${group.last - group.line} lines`}
    onClick={() => onFold(group)}
    className="sticky left-0 z-2 -mr-3.5 w-3.5 shrink-0 text-faint hover:text-ink"
  >
    <Icon name={isFolded ? 'right' : 'down'} className="size-3.5" />
  </button>
)

function Text({ line: { text, spans }, found, where }: Props) {
  const drawn = text.slice(0, DRAWN)
  const links = linksOf(drawn, where)
  if (spans.length + found.length + links.length === 0 && text.length <= DRAWN) return text
  return (
    <>
      {stretchesOf(drawn, { spans, found, links }).map((stretch, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are identified by their index only
        <Led key={i} stretch={stretch} />
      ))}
      {text.length > DRAWN && <em className="text-soft"> … {text.length - DRAWN} more characters</em>}
    </>
  )
}

function Led({ stretch: { href, pieces } }: { stretch: Stretch }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: pieces are identified by their index only
  const inside = pieces.map((piece, i) => <Looks key={i} {...piece} />)
  if (href === undefined) return inside
  if (href.startsWith('/'))
    return (
      <Link to={href} className="underline decoration-faint underline-offset-2 hover:decoration-ink">
        {inside}
      </Link>
    )
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="underline decoration-faint underline-offset-2 hover:decoration-ink"
    >
      {inside}
    </a>
  )
}

function Looks({ text, style, isFound }: Piece) {
  if (isFound) return <mark className="bg-accent text-accent-ink">{text}</mark>
  if (style === undefined) return text
  return (
    <span
      className={classOf(style)}
      style={{ '--log-color': style.color, '--log-background': style.background } as CSSProperties}
    >
      {text}
    </span>
  )
}

const classOf = ({ color, background, bold, dim, italic, underline, strike, inverse }: Style) =>
  [
    color && 'log-color',
    inverse ? 'log-inverse' : background && 'log-background',
    bold && 'font-bold',
    dim && !color && !inverse && 'text-soft',
    italic && 'italic',
    underline && 'underline',
    strike && 'line-through',
  ]
    .filter(Boolean)
    .join(' ')
