/** Units of one kind, each with its size in the smallest one that is usual. */
const KINDS = [
  {
    ...{ ms: 1, millisecond: 1, milliseconds: 1 },
    ...{ s: 1000, sec: 1000, secs: 1000, second: 1000, seconds: 1000 },
    ...{ min: 60_000, mins: 60_000, minute: 60_000, minutes: 60_000, h: 3_600_000, hour: 3_600_000, hours: 3_600_000 },
  },
  {
    ...{ b: 1, byte: 1, bytes: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 },
    ...{ kib: 1024, mib: 1024 ** 2, gib: 1024 ** 3, tib: 1024 ** 4 },
  },
  { '%': 1, percent: 1, ratio: 100 },
] as const satisfies Record<string, number>[]

const UNITS = new Map<string, { kind: number; size: number }>(
  KINDS.flatMap((units, kind) => Object.entries(units).map(([name, size]) => [name, { kind, size }] as const)),
)

const known = (unit: string | null) => UNITS.get((unit ?? '').toLowerCase())

/** The value in another unit; null if the units are not known to measure the same. */
export function converted(value: number, from: string | null, to: string | null): number | null {
  if (from === to) return value
  const [a, b] = [known(from), known(to)]
  return a && b && a.kind === b.kind ? (value * a.size) / b.size : null
}

export const isTime = (unit: string | null) => known(unit)?.kind === 0
export const isSize = (unit: string | null) => known(unit)?.kind === 1
