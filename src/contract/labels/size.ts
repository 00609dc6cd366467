const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1500` → `1.5 kB`; empty if unknown. */
export function sizeOf(bytes: number | null): string {
  if (bytes === null) return ''
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value >= 100 || power === 0 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
