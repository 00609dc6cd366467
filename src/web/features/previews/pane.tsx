import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { type Channel, filterOf } from './channels.tsx'
import type { Point, Thread } from './points.ts'
import { placeIn, type Viewing } from './use-view.ts'
import { cornerOf, fitted, pointAt, type Size } from './zoom.ts'

/** A version's picture, once its size is known. */
export interface Picture {
  version: number
  src: string
  placeholder: string | null
  size: Size
  /** Called with its size when it is loaded. */
  onSize(size: Size): void
}

export interface PaneProps {
  /** For screen readers. */
  name: string
  viewing: Viewing
  /** Drawn over each other, the last on top. */
  pictures: readonly Picture[]
  channel: Channel
  background: string
  /** The top picture is shown from this share of the window on. */
  swiped?: number
  differ?: boolean
  threads: readonly Thread[]
  selected: Point | null
  /** A point whose comment is being written. */
  draft: Point | null
  select(point: Point): void
  /** A point is being placed. */
  placing: boolean
  place(point: Point): void
  cancel(): void
  children?: ReactNode
}

/** How far a press may move and still be a click. */
const CLICK_PIXELS = 5
/** One press of an arrow while a point is placed, in pixels. */
const CROSS_STEP = 10

/** A window onto one or two pictures, with the points of the top one. */
export function Pane(props: PaneProps) {
  const {
    name,
    viewing,
    pictures,
    channel,
    background,
    swiped,
    differ,
    threads,
    selected,
    draft,
    select,
    placing,
    place,
    cancel,
    children,
  } = props
  const { view, size, setPane, wheel, drag, tools } = viewing
  const element = useRef<HTMLDivElement>(null)
  const [cross, setCross] = useState<Point | null>(null)
  const pressed = useRef<Point | null>(null)
  const top = pictures.at(-1)!
  const fit = fitted(top.size, size)
  const corner = cornerOf(view, fit, size)

  useEffect(() => {
    const pane = element.current!
    setPane(pane)
    pane.addEventListener('wheel', wheel, { passive: false })
    return () => pane.removeEventListener('wheel', wheel)
  }, [setPane, wheel])
  // Placed by keyboard from the middle on.
  useEffect(() => setCross(placing ? { x: size.width / 2, y: size.height / 2 } : null), [placing, size])

  const placeAt = (at: Point) => {
    const point = pointAt(at, view, fit, size)
    if (point) place(point)
  }
  const act: Record<string, () => void> = placing
    ? {
        ...Object.fromEntries(
          [
            ['ArrowLeft', -CROSS_STEP, 0],
            ['ArrowRight', CROSS_STEP, 0],
            ['ArrowUp', 0, -CROSS_STEP],
            ['ArrowDown', 0, CROSS_STEP],
          ].map(([key, x, y]) => [key, () => setCross((at) => at && moved(at, x as number, y as number, size))]),
        ),
        Enter: () => cross && placeAt(cross),
        Escape: cancel,
      }
    : { ArrowLeft: tools.left, ArrowRight: tools.right, ArrowUp: tools.up, ArrowDown: tools.down }
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || !act[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    act[event.key]!()
  }
  const release = (event: PointerEvent<HTMLDivElement>) => {
    drag.onPointerUp(event)
    const at = placeIn(event.currentTarget, event)
    const from = pressed.current
    pressed.current = null
    if (placing && from && Math.hypot(at.x - from.x, at.y - from.y) <= CLICK_PIXELS) placeAt(at)
  }
  return (
    <div
      ref={element}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: moved and zoomed with the keyboard
      tabIndex={0}
      role="application"
      aria-label={name}
      aria-roledescription="picture viewer"
      onKeyDown={press}
      onPointerDown={(event) => {
        pressed.current = placeIn(event.currentTarget, event)
        drag.onPointerDown(event)
      }}
      onPointerMove={drag.onPointerMove}
      onPointerUp={release}
      onPointerCancel={drag.onPointerCancel}
      className={`relative isolate min-h-0 min-w-0 overflow-clip rounded-md border border-line ${background} ${view.zoom > 1 || placing ? 'touch-none' : 'touch-pan-y'} ${placing ? 'cursor-crosshair' : view.zoom > 1 ? 'cursor-grab' : ''}`}
    >
      <div className={differ ? 'absolute inset-0 isolate brightness-400' : 'contents'}>
        {pictures.map((picture, i) => (
          <Layer
            key={picture.src}
            picture={picture}
            viewing={viewing}
            filter={filterOf(channel)}
            clip={i > 0 && swiped !== undefined ? swiped : undefined}
            blend={i > 0 && differ === true}
          />
        ))}
      </div>
      {threads.map((thread) => {
        const at = { x: corner.x + thread.point.x * fit.width * view.zoom, y: corner.y + thread.point.y * fit.height * view.zoom }
        if (at.x < 0 || at.y < 0 || at.x > size.width || at.y > size.height) return null
        const isSelected = selected?.x === thread.point.x && selected.y === thread.point.y
        return (
          <button
            key={thread.number}
            type="button"
            aria-label={`Point ${thread.number}${thread.resolved ? ', resolved' : ''}`}
            aria-pressed={isSelected}
            onPointerDown={(event) => event.stopPropagation()}
            onClick={() => select(thread.point)}
            style={{ left: at.x, top: at.y }}
            className={`absolute z-10 grid size-6 -translate-1/2 place-items-center rounded-full border-2 text-xs font-semibold shadow-float ${isSelected ? 'border-accent-ink bg-accent text-accent-ink outline-2 outline-accent' : thread.resolved ? 'border-line bg-panel text-soft' : 'border-panel bg-accent text-accent-ink'}`}
          >
            {thread.resolved ? '✓' : thread.number}
          </button>
        )
      })}
      {draft && (
        <span
          aria-hidden="true"
          style={{ left: corner.x + draft.x * fit.width * view.zoom, top: corner.y + draft.y * fit.height * view.zoom }}
          className="pointer-events-none absolute z-10 size-6 -translate-1/2 rounded-full border-2 border-panel bg-accent outline-2 outline-accent"
        />
      )}
      {cross && (
        <span
          aria-hidden="true"
          style={{ left: cross.x, top: cross.y }}
          className="pointer-events-none absolute z-10 -translate-1/2"
        >
          <svg
            aria-hidden="true"
            width="32"
            height="32"
            viewBox="0 0 32 32"
            fill="none"
            stroke="currentColor"
            className="text-ink"
          >
            <circle cx="16" cy="16" r="15" className="fill-panel stroke-ink" fillOpacity="0.6" />
            <path d="M16 2v28M2 16h28" strokeWidth="1.5" />
          </svg>
        </span>
      )}
      {children}
    </div>
  )
}

const moved = (at: Point, x: number, y: number, { width, height }: Size): Point => ({
  x: Math.min(width, Math.max(0, at.x + x)),
  y: Math.min(height, Math.max(0, at.y + y)),
})

interface LayerProps {
  picture: Picture
  viewing: Viewing
  filter: string | undefined
  clip: number | undefined
  blend: boolean
}

function Layer({ picture, viewing: { view, size }, filter, clip, blend }: LayerProps) {
  const fit = fitted(picture.size, size)
  const corner = cornerOf(view, fit, size)
  const [width, height] = [fit.width * view.zoom, fit.height * view.zoom]
  const [isLoaded, setLoaded] = useState(false)
  // Each pixel of a small picture stays visible.
  const isCoarse = width > 2 * picture.size.width
  return (
    <div
      className={`pointer-events-none absolute inset-0 ${blend ? 'mix-blend-difference' : ''}`}
      style={clip === undefined ? {} : { clipPath: `inset(0 0 0 ${100 * clip}%)` }}
    >
      {picture.placeholder && !isLoaded && (
        <img
          alt=""
          src={picture.placeholder}
          className="absolute max-w-none"
          style={{ left: corner.x, top: corner.y, width, height }}
        />
      )}
      <img
        alt={`Version ${picture.version}`}
        src={picture.src}
        draggable={false}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          setLoaded(true)
          picture.onSize({ width: naturalWidth, height: naturalHeight })
        }}
        className={`absolute max-w-none ${isCoarse ? '[image-rendering:pixelated]' : ''}`}
        style={{ left: corner.x, top: corner.y, width, height, filter }}
      />
    </div>
  )
}
