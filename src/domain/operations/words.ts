/** Figures as people read them. */

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** `5400` → `1.5 h`. */
export function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`
  if (seconds < 172_800) return `${oneDigit(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} days`
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `-1500000` → `-1.5 MB`. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, Math.abs(bytes))) / 3)))
  return `${power === 0 ? Math.round(bytes) : oneDigit(bytes / 1000 ** power)} ${UNITS[power]}`
}

const oneDigit = (value: number) => String(Math.round(value * 10) / 10)
