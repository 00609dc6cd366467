import { type CSSProperties, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Group } from './groups.ts'
import { heightOf, type Layout, linesBetween, rowsOf, topOf } from './layout.ts'
import type { LineRange } from './line-range.ts'
import type { Whereabouts } from './links.ts'
import { LogLine, ROW } from './log-line.tsx'
import type { LogLine as Line } from './read-log.ts'
import type { Found, Range } from './search.ts'

const AROUND = 10
const VIEW = 40
/** Lines that are positioned together. */
const BLOCK = 10
const NO_RANGES: readonly Range[] = []

interface Props {
  lines: readonly Line[]
  layout: Layout
  groups: ReadonlyMap<number, Group>
  folded: ReadonlySet<Group>
  found: Found
  picked: LineRange | undefined
  current: number | undefined
  marked: ReadonlySet<number>
  where: Whereabouts
  /** The width of the gutter, and of the widest line. */
  gutter: number
  widest: number
  isWrapped: boolean
  showsStamps: boolean
  /** Stays at the end while the log grows, unless somebody scrolls up. */
  follow: boolean
  view: RefObject<HTMLElement | null>
  onPick(line: number, isExtending: boolean): void
  onFold(group: Group): void
  /** How many columns a row has. */
  onColumns(columns: number): void
}

/** Renders only the visible lines; the rest is height. */
export function LogWindow({ lines, layout, view, follow, gutter, onColumns, ...props }: Props) {
  const [first, setFirst] = useState(0)
  const atEnd = useRef(follow)
  const rows = rowsOf(layout)
  const scrolled = () => {
    const box = view.current
    if (!box) return
    setFirst(Math.floor(box.scrollTop / ROW / 10) * 10)
    atEnd.current = box.scrollTop + box.clientHeight > box.scrollHeight - 2 * ROW
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer log moves the end
  useLayoutEffect(() => {
    if (follow && atEnd.current && view.current) view.current.scrollTop = view.current.scrollHeight
  }, [rows, follow])
  useEffect(() => {
    const box = view.current
    if (!box) return
    const measure = () => onColumns(Math.max(20, Math.floor(box.clientWidth / columnWidth(box)) - gutter - 2))
    const watch = new ResizeObserver(measure)
    watch.observe(box)
    return () => watch.disconnect()
  }, [view, gutter, onColumns])
  const { picked, current, marked } = props
  const drawn = (n: number) => {
    const group = props.groups.get(n)
    const isPicked = n === current || (picked !== undefined && n >= picked.first && n <= picked.last)
    return (
      <LogLine
        key={n}
        n={n}
        line={lines[n - 1]!}
        height={heightOf(layout, n)}
        isWrapped={props.isWrapped}
        showsStamp={props.showsStamps}
        look={isPicked ? 'current' : marked.has(n) ? 'marked' : 'plain'}
        found={props.found.ranges.get(n) ?? NO_RANGES}
        where={props.where}
        group={group}
        isFolded={group !== undefined && props.folded.has(group)}
        onPick={props.onPick}
        onFold={props.onFold}
      />
    )
  }
  return (
    <section
      ref={view}
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it must be scrollable by keyboard
      tabIndex={0}
      onScroll={scrolled}
      className="relative max-h-[40rem] min-w-0 flex-1 overflow-auto bg-canvas font-mono text-xs leading-[20px]"
    >
      <span data-columns aria-hidden="true" className="invisible absolute">
        {'0'.repeat(100)}
      </span>
      <div
        style={
          {
            height: rows * ROW,
            width: props.isWrapped ? '100%' : `${props.widest + gutter + 4}ch`,
            '--gutter': `${gutter}ch`,
          } as CSSProperties
        }
        className="relative min-w-full"
      >
        {blocksOf(linesBetween(layout, first - AROUND, first + VIEW + AROUND)).map((block) => (
          // An element that moved while scrolling would count as a layout shift.
          <div
            key={Math.floor((block[0]! - 1) / BLOCK)}
            style={{ top: topOf(layout, block[0]!) * ROW }}
            className="absolute inset-x-0"
          >
            {block.map(drawn)}
          </div>
        ))}
      </div>
    </section>
  )
}

/** Lines in blocks of ten, the same at any scroll position. */
function blocksOf(numbers: readonly number[]): number[][] {
  const blocks = new Map<number, number[]>()
  for (const n of numbers) {
    const block = Math.floor((n - 1) / BLOCK)
    blocks.set(block, [...(blocks.get(block) ?? []), n])
  }
  return [...blocks.values()]
}

const columnWidth = (view: HTMLElement) => (view.querySelector<HTMLElement>('[data-columns]')?.offsetWidth ?? 700) / 100

/** Scrolls a row, and a column of it, to the middle of the window without scrolling the page. */
export function showRow(view: HTMLElement | null, row: number, column = 0) {
  if (!view) return
  const right = column * columnWidth(view) - view.clientWidth / 2
  view.scrollTo({ top: (row + 0.5) * ROW - view.clientHeight / 2, left: Math.max(0, right) })
}

/** Closer to an edge of the page than this, a line may be covered by sticky elements. */
const EDGE = 60

/** Also scrolls the page if the row would not be visible. */
export function bringToSight(view: HTMLElement | null, row: number) {
  if (!view) return
  const at = view.getBoundingClientRect().top + (row + 0.5) * ROW - view.scrollTop
  if (at < EDGE || at > window.innerHeight - EDGE) window.scrollBy({ top: at - window.innerHeight / 2 })
}
