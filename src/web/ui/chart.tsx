import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useTheme } from '../theme.ts'
import { dateOf } from './text/dates.ts'

/** As many lines as can be distinguished. */
export const SERIES_COLORS = ['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6']

export interface Series {
  label: string
  /** A color of the theme, such as `ok`. */
  color: string
  values: (number | null)[]
}

interface Props {
  /** A description for screen readers. */
  label: string
  /** Seconds since 1970, ascending. */
  times: number[]
  /** The period of the axis, whatever data it has: neighboring charts have the same axis. */
  period: readonly [from: number, to: number]
  series: Series[]
  kind: 'stack' | 'points' | 'line'
  unit(value: number): string
  /** The index under the pointer. */
  onPoint(index: number | null): void
  /** The point under the pointer was clicked. */
  onPick?(index: number): void
}

const HEIGHT = 190
/** Usual steps of an axis: numbers, and seconds up to months. */
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000]
const HOUR = 3_600
const SPANS = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_200, 1_800],
  ...[1, 2, 3, 6, 12, 24, 48, 96, 240, 480, 720, 1_440, 2_880].map((hours) => hours * HOUR),
]
const DAYS = [1, 2, 3, 5, 7, 14, 30].map((days) => days * 24 * HOUR)

/** A chart over time in the theme's colors, full width. */
export function Chart({ label, times, period, series, kind, unit, onPoint, onPick }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const theme = useTheme()
  const latest = useRef({ unit, onPoint, onPick })
  latest.current = { unit, onPoint, onPick }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colors
  useEffect(() => {
    const element = place.current!
    const draw = () =>
      new uPlot(
        optionsOf(element, kind, series, period, latest),
        [times, ...(kind === 'stack' ? stacked(series) : series.map(({ values }) => values))],
        element,
      )
    let plot = draw()
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }))
    resize.observe(element)
    const click = () => plot.cursor.idx != null && latest.current.onPick?.(plot.cursor.idx)
    element.addEventListener('click', click)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => {
      plot.destroy()
      plot = draw()
    }
    dark.addEventListener('change', redraw)
    return () => {
      dark.removeEventListener('change', redraw)
      element.removeEventListener('click', click)
      resize.disconnect()
      plot.destroy()
    }
  }, [times, series, kind, period, theme])
  return (
    <div
      ref={place}
      role="img"
      aria-label={label}
      className={`h-[190px] w-full overflow-hidden ${onPick ? '[&_.u-over]:cursor-pointer' : ''}`}
    />
  )
}

/** The tallest first, so that every bar in front of it leaves only its own part visible. */
const stacked = (series: Series[]) =>
  series.map((_, top) =>
    series[0]!.values.map((_, i) => series.slice(0, series.length - top).reduce((sum, { values }) => sum + (values[i] ?? 0), 0)),
  )

/** A canvas has no custom properties: the browser resolves them here. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(--${name})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

type Latest = { current: Pick<Props, 'unit' | 'onPoint'> }

function optionsOf(
  element: HTMLElement,
  kind: Props['kind'],
  series: Series[],
  [from, to]: Props['period'],
  latest: Latest,
): uPlot.Options {
  const axis = {
    stroke: colorOf(element, 'soft'),
    font: '11px system-ui, sans-serif',
    grid: { stroke: colorOf(element, 'line'), width: 1 },
    ticks: { show: false },
  }
  const drawn = kind === 'stack' ? [...series].reverse() : series
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), 'Etc/UTC'),
    cursor: { y: false, drag: { x: false, y: false }, points: { show: kind !== 'stack' } },
    scales: {
      x: { range: [from, to] },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 70,
        size: 26,
        incrs: DAYS,
        values: (_, splits) => splits.map((at) => dateOf('day', at * 1000, 'UTC')),
      },
      {
        ...axis,
        size: 56,
        incrs: kind === 'stack' ? COUNTS : SPANS,
        values: (_, splits) => splits.map((value) => latest.current.unit(value)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ label, color }): uPlot.Series => {
        const paint = colorOf(element, color)
        if (kind === 'stack')
          return { label, fill: paint, width: 0, points: { show: false }, paths: uPlot.paths.bars!({ size: [0.7, 36] }) }
        const points = { show: true, size: 6, fill: paint, stroke: paint }
        return kind === 'line'
          ? { label, stroke: paint, width: 1.5, points, spanGaps: true }
          : { label, stroke: paint, points, paths: () => null }
      }),
    ],
    hooks: { setCursor: [(plot) => latest.current.onPoint(plot.cursor.idx ?? null)] },
  }
}
