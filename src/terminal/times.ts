const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['y', 31_536_000],
  ['mo', 2_592_000],
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
]

/** `3 h ago`, `in 89 d`, `just now`. */
export function relative(iso: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(iso) - now) / 1000)
  if (Number.isNaN(seconds)) return iso
  const [name, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['s', 1]
  const count = Math.floor(Math.abs(seconds) / size)
  if (name === 's' && count < 5) return 'just now'
  return seconds < 0 ? `${count} ${name} ago` : `in ${count} ${name}`
}

/** `4 min 12 s`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const

export function size(bytes: number): string {
  const step = Math.min(SIZES.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${SIZES[step]}`
}
