import { type PointerEvent, useCallback, useEffect, useRef, useState } from 'react'
import { actualSize, FIT, fitted, PAN_STEP, panned, type Size, type View, ZOOM_STEP, zoomed } from './zoom.ts'

const WHEEL_SPEED = 0.002

/** How pictures are zoomed and moved, in step: all panes share one view. `isEager`: the wheel zooms without a click first. */
export function useView(picture: Size, isEager: boolean) {
  const [view, setView] = useState<View>(FIT)
  const [pane, setPane] = useState<HTMLElement | null>(null)
  const [size, setSize] = useState<Size>({ width: 1, height: 1 })
  const latest = useRef({ picture, size })
  latest.current = { picture, size }

  useEffect(() => {
    if (!pane) return
    const measure = () => setSize({ width: Math.max(1, pane.clientWidth), height: Math.max(1, pane.clientHeight) })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(pane)
    return () => observer.disconnect()
  }, [pane])

  const change = useCallback((how: (view: View, fit: Size, window: Size) => View) => {
    setView((view) => how(view, fitted(latest.current.picture, latest.current.size), latest.current.size))
  }, [])
  const zoomAt = useCallback(
    (factor: number, at?: { x: number; y: number }) =>
      change((view, fit, window) => zoomed(view, factor, at ?? { x: window.width / 2, y: window.height / 2 }, fit, window)),
    [change],
  )
  const pan = useCallback(
    (by: { x: number; y: number }) => change((view, fit, window) => panned(view, by, fit, window)),
    [change],
  )

  // React listens to the wheel passively, and the page must not scroll as well.
  const wheel = useCallback(
    (event: WheelEvent) => {
      const element = event.currentTarget as HTMLElement
      if (!isEager && !event.ctrlKey && !event.metaKey && !element.contains(document.activeElement)) return
      event.preventDefault()
      zoomAt(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 16 : 1) * WHEEL_SPEED), placeIn(element, event))
    },
    [isEager, zoomAt],
  )

  const pointers = useRef(new Map<number, { x: number; y: number }>())
  const drag = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture(event.pointerId)
      pointers.current.set(event.pointerId, placeIn(event.currentTarget, event))
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const before = pointers.current.get(event.pointerId)
      if (!before) return
      const now = placeIn(event.currentTarget, event)
      pointers.current.set(event.pointerId, now)
      const other = [...pointers.current].find(([id]) => id !== event.pointerId)?.[1]
      if (!other) return pan({ x: now.x - before.x, y: now.y - before.y })
      const apart = (a: { x: number; y: number }) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y))
      zoomAt(apart(now) / apart(before), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 })
      pan({ x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 })
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => void pointers.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent<HTMLElement>) => void pointers.current.delete(event.pointerId),
  }

  const tools = {
    in: () => zoomAt(ZOOM_STEP),
    out: () => zoomAt(1 / ZOOM_STEP),
    fit: () => setView(FIT),
    actual: () => zoomAt(actualSize(picture, size) / view.zoom),
    left: () => pan({ x: size.width * PAN_STEP, y: 0 }),
    right: () => pan({ x: -size.width * PAN_STEP, y: 0 }),
    up: () => pan({ x: 0, y: size.height * PAN_STEP }),
    down: () => pan({ x: 0, y: -size.height * PAN_STEP }),
  }
  /** Brings a point into the middle, if the picture is larger than its window. */
  const show = (point: { x: number; y: number }) =>
    change((view, fit, window) => panned({ ...view, ...point }, { x: 0, y: 0 }, fit, window))
  return { view, size, setPane, wheel, drag, tools, show, percent: Math.round((100 * view.zoom) / actualSize(picture, size)) }
}
export type Viewing = ReturnType<typeof useView>

export function placeIn(element: HTMLElement, event: { clientX: number; clientY: number }) {
  const { left, top } = element.getBoundingClientRect()
  return { x: event.clientX - left, y: event.clientY - top }
}
