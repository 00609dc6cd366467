/** Start and end offset in a line. */
export type Range = readonly [from: number, to: number]

export interface Found {
  /** Numbers of the lines, counted from one, in order. */
  lines: readonly number[]
  /** The offsets in each of them. */
  ranges: ReadonlyMap<number, readonly Range[]>
}

export const NOTHING: Found = { lines: [], ranges: new Map() }

/** More matches in one line are not marked. */
const PLACES_MAX = 200

const foundBy = (texts: readonly string[], placesOf: (text: string) => Range[] | undefined): Found => {
  const ranges = new Map<number, readonly Range[]>()
  texts.forEach((text, i) => {
    const places = placesOf(text)
    if (places) ranges.set(i + 1, places)
  })
  return { lines: [...ranges.keys()], ranges }
}

/** Lines with the words, in any case. */
export function findWords(texts: readonly string[], words: string): Found {
  const wanted = words.toLowerCase()
  if (wanted === '') return NOTHING
  return foundBy(texts, (text) => {
    const low = text.toLowerCase()
    const places: Range[] = []
    for (let at = low.indexOf(wanted); at !== -1 && places.length < PLACES_MAX; at = low.indexOf(wanted, at + wanted.length))
      places.push([at, at + wanted.length])
    // Some characters change their length with their case; then offsets are unknown.
    return places.length === 0 ? undefined : low.length === text.length ? places : []
  })
}

/** Lines that match an expression, in any case. It may never end: run it in a worker that can be terminated. */
export function findPattern(texts: readonly string[], pattern: string): Found {
  const wanted = new RegExp(pattern, 'giu')
  return foundBy(texts, (text) => {
    const places: Range[] = []
    for (const { 0: match, index } of text.matchAll(wanted)) {
      if (match !== '') places.push([index, index + match.length])
      if (places.length === PLACES_MAX) break
    }
    return places.length > 0 ? places : undefined
  })
}
