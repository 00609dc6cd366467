/** Terms are stored as numbers. A collision only makes a lookup read a record in vain. */
export function hashOf(scope: string | number, term: string): number {
  let hash = 0x811c9dc5
  const text = `${scope} ${term}`
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // The last characters alone only affect the low bits.
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

export const arrayOf = (numbers: Iterable<number>) => `{${[...numbers].join(',')}}`

/** The term of a whole title, the same in every segment: an exact title is found however many others match. */
export const titleTerm = (accountId: number, kind: string, title: string) => hashOf(`${accountId} ${kind}`, `=${title}`)
