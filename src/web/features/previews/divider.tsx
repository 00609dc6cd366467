import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

const STEP = 0.02
const LEAP = 0.1

/** The line between two versions: dragged, or moved with the arrows. */
export function Divider({ share, move, label }: { share: number; move(share: number): void; label: string }) {
  const dragged = useRef(false)
  const to = (value: number) => move(Math.min(1, Math.max(0, value)))
  const drag = (event: PointerEvent<HTMLElement>) => {
    event.stopPropagation()
    if (!dragged.current) return
    const { left, width } = event.currentTarget.parentElement!.getBoundingClientRect()
    to((event.clientX - left) / width)
  }
  const act: Record<string, () => void> = {
    ArrowLeft: () => to(share - STEP),
    ArrowRight: () => to(share + STEP),
    PageDown: () => to(share - LEAP),
    PageUp: () => to(share + LEAP),
    Home: () => to(0),
    End: () => to(1),
  }
  const press = (event: KeyboardEvent) => {
    if (!act[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    act[event.key]!()
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(100 * share)}
      aria-valuetext={`${Math.round(100 * share)}%`}
      onKeyDown={press}
      onPointerDown={(event) => {
        event.stopPropagation()
        dragged.current = true
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={drag}
      onPointerUp={(event) => {
        event.stopPropagation()
        dragged.current = false
      }}
      onPointerCancel={() => {
        dragged.current = false
      }}
      style={{ left: `${100 * share}%` }}
      className="absolute inset-y-0 z-20 grid w-8 -translate-x-1/2 cursor-ew-resize touch-none place-items-center before:absolute before:inset-y-0 before:left-1/2 before:w-0.5 before:-translate-x-1/2 before:bg-accent"
    >
      <span aria-hidden="true" className="relative grid size-7 place-items-center rounded-full bg-accent text-xs text-accent-ink">
        ↔
      </span>
    </div>
  )
}
