/** Terms are stored as numbers. Two that share one only make a look-up read a record in vain. */
export function hashOf(scope: string | number, term: string): number {
  let hash = 0x811c9dc5
  const text = `${scope} ${term}`
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  // The last characters reach only the low bits by themselves.
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) | 0
}

export const arrayOf = (numbers: Iterable<number>) => `{${[...numbers].join(',')}}`

/** The term of a whole title, the same in every segment: what is called exactly so is found however much else matches. */
export const titleTerm = (accountId: number, kind: string, title: string) => hashOf(`${accountId} ${kind}`, `=${title}`)
