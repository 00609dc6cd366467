import { memo, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { piecesOf } from './log-lines.ts'

const ROW = 20
const AROUND = 15
const VIEW = 40
/** A line longer than this is drawn in part: one endless line would freeze the page. */
const DRAWN = 4_000

interface Props {
  lines: readonly string[]
  words: string
  current: number | undefined
  marked: ReadonlySet<number>
  /** Stays at the end while the log grows, as long as nobody scrolls up. */
  follow: boolean
  view: RefObject<HTMLElement | null>
  onPick(line: number): void
}

/** Draws only the lines that can be seen; the rest is height. */
export function LogWindow({ lines, words, current, marked, follow, view, onPick }: Props) {
  const [first, setFirst] = useState(0)
  const atEnd = useRef(follow)
  const scrolled = () => {
    const box = view.current
    if (!box) return
    setFirst(Math.floor(box.scrollTop / ROW / 10) * 10)
    atEnd.current = box.scrollTop + box.clientHeight > box.scrollHeight - 2 * ROW
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer log is what moves the end
  useLayoutEffect(() => {
    if (follow && atEnd.current && view.current) view.current.scrollTop = view.current.scrollHeight
  }, [lines.length, follow])
  const from = Math.max(0, first - AROUND)
  const shown = lines.slice(from, first + VIEW + AROUND)
  const gutter = String(lines.length).length + 3
  const widest =
    Math.min(
      DRAWN,
      useMemo(() => longest(lines), [lines]),
    ) +
    gutter +
    4
  return (
    <section
      ref={view}
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keys
      tabIndex={0}
      onScroll={scrolled}
      className="relative max-h-[40rem] overflow-auto rounded-b-lg bg-canvas font-mono text-xs leading-[20px]"
    >
      <div style={{ height: lines.length * ROW, width: `${widest}ch` }} className="relative min-w-full">
        {shown.map((line, i) => {
          const n = from + i + 1
          return (
            <Line
              key={n}
              n={n}
              gutter={gutter}
              line={line}
              words={words}
              look={n === current ? 'current' : marked.has(n) ? 'marked' : 'plain'}
              onPick={onPick}
            />
          )
        })}
      </div>
    </section>
  )
}

const LOOKS = {
  plain: 'border-transparent bg-canvas hover:bg-hover',
  marked: 'border-err bg-err-wash',
  current: 'border-accent bg-accent-wash',
}

interface LineProps {
  n: number
  gutter: number
  line: string
  words: string
  look: keyof typeof LOOKS
  onPick(line: number): void
}

const Line = memo(({ n, gutter, line, words, look, onPick }: LineProps) => (
  // Each at its own place: a block of lines that moved with the scrolling would count as a layout shift.
  <div
    data-line={n}
    style={{ top: (n - 1) * ROW }}
    className={`absolute inset-x-0 flex h-[20px] border-l-3 whitespace-pre ${LOOKS[look]}`}
  >
    <a
      href={`#L${n}`}
      tabIndex={-1}
      aria-label={`Line ${n}`}
      style={{ width: `${gutter}ch` }}
      onClick={(event) => {
        event.preventDefault()
        onPick(n)
      }}
      className="sticky left-0 mr-[1ch] shrink-0 select-none bg-inherit pr-[1ch] text-right text-faint tabular-nums hover:text-ink"
    >
      {n}
    </a>
    <span>
      {piecesOf(line.slice(0, DRAWN), words).map((piece, i) =>
        i % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name but their place
          <mark key={i} className="bg-accent text-accent-ink">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
      {line.length > DRAWN && <em className="text-soft"> … {line.length - DRAWN} more characters</em>}
    </span>
  </div>
))

const longest = (lines: readonly string[]) => lines.reduce((most, { length }) => Math.max(most, length), 0)

/** Brings a line, and a column of it, to the middle of the window without moving the page. */
export function showLine(view: HTMLElement | null, line: number, column = 0) {
  if (!view) return
  const right = column * columnWidth(view) - view.clientWidth / 2
  view.scrollTo({ top: (line - 0.5) * ROW - view.clientHeight / 2, left: Math.max(0, right) })
}

/** What stands before a line is some columns wide, and says so. */
function columnWidth(view: HTMLElement): number {
  const number = view.querySelector<HTMLElement>('[data-line] a')
  return number ? number.offsetWidth / Number.parseFloat(number.style.width) : 0
}

/** Closer to an edge of the page than this, a line may be hidden by what sticks there. */
const EDGE = 60

/** Moves the page, too, where the line would be out of its sight. */
export function bringToSight(view: HTMLElement | null, line: number) {
  if (!view) return
  const at = view.getBoundingClientRect().top + (line - 0.5) * ROW - view.scrollTop
  if (at < EDGE || at > window.innerHeight - EDGE) window.scrollBy({ top: at - window.innerHeight / 2 })
}
