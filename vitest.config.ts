import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that measure their own work, or stop a part of the service for good, need a separate process. */
const ALONE = [
  'src/diagnosis/**/*.test.ts',
  'src/domain/privacy/{scrub,delivery-body}.test.ts',
  'src/intake/heavy/*.test.ts',
  'src/intake/providers/github/push.test.ts',
  'src/net/safe-fetch*.test.ts',
]

/** Tests that start, kill, back up, restore and upgrade whole services: `npm run test:processes`. */
const PROCESSES = [
  'test/{backup,backups-killed,bad-day,bombs,channels-killed,hostile-connections,killed,published-client}.test.ts',
  'test/{readme,release,run-killed,start,stop-heavy,stream-killed,uploads-killed,workers}.test.ts',
  'src/db/{hosts,upgrade}.test.ts',
  'src/db/{backup,embedded}/**/*.test.ts',
  'src/http/replica.test.ts',
  'src/jobs/killed-jobs.test.ts',
]

/** Tests that start PostgreSQL themselves or test the connection to it: another server makes no difference. */
const EMBEDDED = ['src/db/embedded/**', 'src/db/{database,hosts}.test.ts']
const elsewhere = process.env.DATABASE_URL ? EMBEDDED : []

/** They take minutes: last, each would run alone. */
const LONGEST =
  /test\/(?:growth|guides)|src\/(?:pools|http\/(?:hostile|stream\/slow-reader)|jobs\/(?:worker|backups\/backups|sending\/chat))\.test/

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
const isLong = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId)

// Only a real hang should fail here: a busy machine must not.
const patience = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 220_000 } } }

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    reporters: ['default', './test/support/second-run-reporter.ts'],
    // More than cores: tests wait for databases, browsers and processes much of the time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'alone', include: ALONE, ...patience } },
      {
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...ALONE, ...PROCESSES, ...elsewhere],
          // Loading the common modules took a fifth of the run.
          isolate: false,
          ...patience,
        },
      },
      { test: { name: 'processes', include: PROCESSES, exclude: elsewhere, isolate: false, ...patience } },
    ],
  },
})
