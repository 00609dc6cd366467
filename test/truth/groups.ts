/** Worlds that run in parallel in one studio. */
const GROUP = 16

interface Group {
  first: number
  last: number
  seeds: number[]
}

/** The worlds to try: TRUTH_SEEDS=1-200, otherwise the few of each run of the tests. */
export function groupsOf(usual: string): Group[] {
  const [first, last = first] = (process.env.TRUTH_SEEDS ?? usual).split('-').map(Number) as [number, number?]
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  return Array.from({ length: Math.ceil(seeds.length / GROUP) }, (_, index) => {
    const own = seeds.slice(index * GROUP, (index + 1) * GROUP)
    return { first: own[0]!, last: own.at(-1)!, seeds: own }
  })
}

/** Sixteen worlds take minutes where other tests run too. */
export const PATIENCE_MS = 3_600_000
