import { usage } from '../../terminal/failures.ts'

const SPAN = /^(\d{1,4})([hdw])$/
const HOURS: Record<string, number> = { h: 1, d: 24, w: 168 }

/** The time that `--for` names: a duration from now, or a time. */
export function until(text: string): string {
  const [, count, unit] = SPAN.exec(text) ?? []
  if (unit !== undefined) return new Date(Date.now() + Number(count) * HOURS[unit]! * 3_600_000).toISOString()
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw usage('--for must be a duration such as 4h, 2d or 1w, or a time such as 2026-09-01T09:00:00Z')
  return new Date(at).toISOString()
}
