import { sizeOf } from './size.ts'

/** A measure as people read it: `38.8 MB`, `95 %`, `36.1 s`, `1,470`. */
export function measureWords({ value, unit }: { value: number; unit: string | null }): string {
  if (unit === 'bytes' || unit === 'B') return sizeOf(value)
  if (unit === 'ratio') return `${(100 * value).toLocaleString('en', { maximumFractionDigits: 1 })} %`
  const number = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 1 })
  return unit && unit !== 'count' ? `${number} ${unit}` : number
}

/** `+5.2 %`; empty below half a percent, or where there is nothing to compare with. */
export function differenceWords(value: number, before: number): string {
  const percent = before === 0 ? 0 : (100 * (value - before)) / before
  if (Math.abs(percent) < 0.5) return ''
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en', { maximumFractionDigits: 1 })} %`
}
