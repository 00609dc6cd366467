const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i

interface ReadTime {
  /** Milliseconds since 1970, treating the local time as UTC if no offset was given. */
  ms: number
  hasTime: boolean
  hasOffset: boolean
}

/** Parses an ISO 8601 date or timestamp; anything else, February 30 included, is undefined. */
export function readTime(text: string): ReadTime | undefined {
  const found = ISO.exec(text)
  if (!found) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = found
  const parts = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number]
  if (parts[0] < 1 || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return undefined
  // Stored times have milliseconds: rounding up keeps `updated_at >= t` exact for finer ones.
  const millis = Math.ceil(Number(`0.${fraction || '0'}`) * 1000)
  const wall = new Date(0)
  wall.setUTCFullYear(parts[0], parts[1] - 1, parts[2])
  if (wall.getUTCMonth() !== parts[1] - 1 || wall.getUTCDate() !== parts[2]) return undefined
  wall.setUTCHours(parts[3], parts[4], parts[5], millis)
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  return { ms: wall.getTime() - offset * 60_000, hasTime: found[4] !== undefined, hasOffset: zone !== undefined }
}

function offsetMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || '0')]
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
