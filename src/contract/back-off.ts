interface BackOff {
  /** The pause after the first failure, and the longest one; all in the same unit. */
  first: number
  longest: number
  /** How much longer each pause is than the one before. */
  factor?: number
  /** The share by which a pause varies up or down, so that clients that failed together do not retry together. */
  jitter?: number
  random?: number
}

/** The pause before the next attempt after this many failures in a row. */
export const backOff = (failures: number, { first, longest, factor = 2, jitter = 0, random = Math.random() }: BackOff): number =>
  Math.min(longest, first * factor ** (failures - 1)) * (1 + jitter * (2 * random - 1))

/** The seconds of a Retry-After header, which are a number or a date; undefined if it has neither. */
export function retryAfterSeconds(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null || header.trim() === '') return
  const seconds = Number.isNaN(Number(header)) ? (Date.parse(header) - Date.now()) / 1000 : Number(header)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
