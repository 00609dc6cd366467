import { useEffect, useState } from 'react'
import { dateOf } from './dates.ts'

const STEPS: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [2_592_000, 'day'],
  [31_536_000, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
]
const SECONDS: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400, month: 2_592_000, year: 31_536_000 }
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })

export function agoOf(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000
  if (Math.abs(seconds) < 45) return 'just now'
  const unit = STEPS.find(([limit]) => Math.abs(seconds) < limit)![1]
  return format.format(Math.round(seconds / SECONDS[unit]!), unit)
}

/** Renders again from time to time. */
function useTick() {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 30_000)
    return () => clearInterval(timer)
  }, [])
}

/** How long something has been running. */
export function Elapsed({ since }: { since: string }) {
  useTick()
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(since)) / 60_000))
  return (
    <span title={`since ${dateOf('exact', since)}`}>
      {minutes < 1 ? '< 1 min' : spanOf(minutes * 60).replace(' 0 s', '')} so far
    </span>
  )
}

/** How long ago, with the exact time on hover, or below it if it matters; updates over time. */
export function Time({ at, both = false }: { at: string | null | undefined; both?: boolean }) {
  useTick()
  if (!at) return <span className="text-faint">never</span>
  return (
    <time dateTime={at} title={`${dateOf('exact', at)} (${at})`} className="whitespace-nowrap tabular-nums">
      {agoOf(at)}
      {both && <span className="block whitespace-normal text-xs text-soft">{dateOf('moment', at)}</span>}
    </time>
  )
}

export function spanOf(seconds: number | null | undefined): string {
  if (seconds == null) return '–'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
