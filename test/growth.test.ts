import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Growth, measureGrowth } from '../bench/harness/growth/growth.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'

/** The same studio with seven times as much history. */
const [SMALL, LARGE] = [1_500, 10_000]
const TIMES_MORE = 2
/** One more level of each index, and what a small table needs less than a page of a list. */
const PAGES = 150
/** Reads up to 1,500 builds, 1,000 passed ones or the 10,000 of a month, which the small one does not have. */
const BOUNDED = /^searchBuilds (?:q|author)=.* finished_|^(?:app )?(?:(?:list|show)Measures|showCosts)\b/
/** As in a database that is too large to be read as a whole. */
const PLANNER = '-c enable_seqscan=off -c enable_bitmapscan=off'

let databases: TestDatabase[]
let found: Growth[]

beforeAll(async () => {
  databases = [await createDatabase(), await createDatabase()]
  const [small, large] = databases
  found = await measureGrowth(
    { url: small!.url, size: SMALL },
    { url: large!.url, size: LARGE },
    { full: false, planner: PLANNER, fewPages: PAGES },
  )
  // It works for 70 s of a processor.
}, 900_000)
afterAll(async () => {
  for (const database of databases) await database.drop()
})

test('no request reads more pages because the database has more history', () => {
  expect(found.length).toBeGreaterThan(500)
  const grown = found.filter(({ name, small, large }) => large > TIMES_MORE * small + PAGES && !BOUNDED.test(name))
  expect(grown.map(({ name, small, large }) => `${name}: ${small} → ${large}`)).toEqual([])
})

test('every list and search answers, and no request fails', () => {
  const failed = found.filter(({ name, status }) => status >= (/^(?:app )?(?:list|search)/.test(name) ? 400 : 500))
  expect(failed.map(({ name, status }) => `${name}: ${status}`)).toEqual([])
})
