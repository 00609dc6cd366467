import { defineConfig } from 'vitest/config'

/** What measures its own work, or ends a part of the service for good, wants a process to itself. */
const ALONE = [
  'src/diagnosis/**/*.test.ts',
  'src/domain/privacy/{scrub,delivery-body}.test.ts',
  'src/intake/heavy/*.test.ts',
  'src/intake/providers/github/push.test.ts',
  'src/net/safe-fetch*.test.ts',
]

/** What starts PostgreSQL itself or tests the way to it: no other server makes a difference. */
const EMBEDDED = ['src/db/embedded/**', 'src/db/{database,hosts}.test.ts']
const elsewhere = process.env.DATABASE_URL ? EMBEDDED : []

// Only what hangs for good should end here: a busy machine is no failure.
const patience = { testTimeout: 240_000, hookTimeout: 240_000, expect: { poll: { timeout: 220_000 } } }

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    reporters: ['default', './test/support/skipped-reporter.ts'],
    // More than cores: tests wait for databases, browsers and processes of their own much of the time.
    maxWorkers: 4,
    projects: [
      { test: { name: 'alone', include: ALONE, ...patience } },
      {
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...ALONE, ...elsewhere],
          // Loading what every file needs took a fifth of the run.
          isolate: false,
          ...patience,
        },
      },
    ],
  },
})
