import { simulate } from '../../test/support/studios/simulated-tests.ts'

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

/** How well flaky tests and the changes that broke others are found, in simulated projects of 2,000 tests and 300 builds. */
export async function benchFlakyTests() {
  for (const seed of [1, 2, 3, 4, 5]) {
    const { flaky, precision, recall, ranges, rangesRight } = simulate({ seed, cases: 2_000, builds: 300 })
    console.log(
      `seed ${seed}: ${flaky} flaky tests, precision ${percent(precision)}, recall within 60 runs ${percent(recall)}, ` +
        `${ranges} ranges of regressions, ${percent(rangesRight)} right`,
    )
  }
}
