/** The fields that order the builds of a job. */
interface Counted {
  id: number
  /** The CI's number. */
  build_number: string
}

const NUMBER = /^\d{1,18}(?:\.\d{1,18}){0,5}$/

const partsOf = (number: string): bigint[] => (NUMBER.test(number) ? number.split('.').map(BigInt) : [])

/**
 * The order of a job's builds at one change: by the CI's number if it is made of numbers, then by arrival. `inOrder` of positions.ts is the
 * same in SQL.
 */
export function byNumber(a: Counted, b: Counted): number {
  const [one, other] = [partsOf(a.build_number), partsOf(b.build_number)]
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    if (one[at] === undefined) return -1
    if (other[at] === undefined) return 1
    if (one[at] !== other[at]) return one[at]! < other[at]! ? -1 : 1
  }
  return a.id - b.id
}
