import { shownSuspects } from '../contract/labels/shown-suspects.ts'

/** A reply whose `suspects` are only those with evidence, wherever they are in it: an assistant would blame the others, too. */
export function withShownSuspects<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withShownSuspects) as T
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      name === 'suspects' && Array.isArray(field) ? shownSuspects(field) : withShownSuspects(field),
    ]),
  ) as T
}
