/** From and behind which letters something stands in a line. */
export type Range = readonly [from: number, to: number]

export interface Found {
  /** Numbers of the lines, counted from one, in order. */
  lines: readonly number[]
  /** Where in each of them. */
  ranges: ReadonlyMap<number, readonly Range[]>
}

export const NOTHING: Found = { lines: [], ranges: new Map() }

/** More places of one line are not marked. */
const PLACES_MAX = 200

const foundBy = (texts: readonly string[], placesOf: (text: string) => Range[] | undefined): Found => {
  const ranges = new Map<number, readonly Range[]>()
  texts.forEach((text, i) => {
    const places = placesOf(text)
    if (places) ranges.set(i + 1, places)
  })
  return { lines: [...ranges.keys()], ranges }
}

/** Lines that hold the words, in any case. */
export function findWords(texts: readonly string[], words: string): Found {
  const wanted = words.toLowerCase()
  if (wanted === '') return NOTHING
  return foundBy(texts, (text) => {
    const low = text.toLowerCase()
    const places: Range[] = []
    for (let at = low.indexOf(wanted); at !== -1 && places.length < PLACES_MAX; at = low.indexOf(wanted, at + wanted.length))
      places.push([at, at + wanted.length])
    // Some letters change their length with their case; then places cannot be told.
    return places.length === 0 ? undefined : low.length === text.length ? places : []
  })
}

/** Lines that an expression matches, in any case. It may take for ever: for a worker that can be ended. */
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
