/** PostgreSQL stores neither NUL nor lone surrogates; tools send both occasionally, and no delivery may be lost because of it. */
export function stripNul<T>(value: T): T {
  if (typeof value === 'string') return (value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value).toWellFormed() as T
  if (Array.isArray(value)) return value.map(stripNul) as T
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, stripNul(inner)])) as T
  return value
}
