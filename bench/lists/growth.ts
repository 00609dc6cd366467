import type { Cluster } from '../harness/database.ts'
import { measureGrowth } from '../harness/growth/growth.ts'
import { printTable } from '../harness/table.ts'

const SMALL = 10_000
const LARGE = 1_000_000
const TIMES_MORE = 2
/** One more level of each index is not growth. */
const LEVELS = 60

/**
 * What every request reads of a small and a large database, in pages: every GET of both tables, every filter and every pair of filters.
 * `npm run bench -- growth 2000 20000` uses other numbers of tasks.
 */
export async function benchGrowth(cluster: Cluster) {
  const [small = SMALL, large = LARGE] = process.argv.slice(3).map(Number)
  const stores = { small: await cluster.create('growth_small'), large: await cluster.create('growth_large') }
  try {
    const found = await measureGrowth(
      { url: stores.small.url, size: small },
      { url: stores.large.url, size: large },
      { full: process.argv.includes('full') },
    )
    const grown = found.filter((one) => one.large > TIMES_MORE * one.small + LEVELS)
    printTable(
      `${grown.length} of ${found.length} requests read more than ${TIMES_MORE} × from ${small.toLocaleString('en')} to ${large.toLocaleString('en')} tasks`,
      ['request', 'status', 'small', 'large', 'ratio'],
      grown.sort((a, b) => b.large - a.large).map((one) => [one.name, one.status, one.small, one.large, one.large / one.small]),
    )
  } finally {
    await stores.small.drop()
    await stores.large.drop()
  }
}
