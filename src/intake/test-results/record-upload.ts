import type { Pool } from '../../db/database.ts'
import { scheduleTestJudging } from '../../domain/builds/follow-up-jobs.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { record, type TestFile } from '../../domain/tests/record.ts'

/** An upload of test results: which build, and how its files are packed. */
export interface TestUpload {
  job: string
  number: string
  name: string
  platform: string
  contentType: string
}

export interface UploadOutcome {
  status: 'recorded' | 'duplicate'
  build_run_id: string | null
  files: number
  tests: number
  passed: number
  failed: number
  errors: number
  skipped: number
  flaky: number
}

/** Another upload of the same job numbers its cases under the same lock. */
const LOCK_TIMEOUT_MS = 10_000

export async function recordUpload(
  db: Pick<Pool, 'transaction'>,
  integration: IntegrationAuth,
  { contentType: _, ...place }: TestUpload,
  files: TestFile[],
): Promise<UploadOutcome> {
  const { recorded, build_run_id } = await db.transaction(
    async (db) => {
      const recorded = await record(db, integration, { ...place, files })
      if (recorded.recorded > 0) await scheduleTestJudging(db, { account_id: integration.account_id, id: recorded.test_build_id })
      return recorded
    },
    { lockTimeout: LOCK_TIMEOUT_MS },
  )
  const count = (wanted?: string) =>
    files.reduce((sum, { report }) => sum + report.cases.filter(({ outcome }) => !wanted || outcome === wanted).length, 0)
  return {
    status: recorded === 0 ? 'duplicate' : 'recorded',
    build_run_id: build_run_id === null ? null : String(build_run_id),
    files: files.length,
    tests: count(),
    passed: count('passed'),
    failed: count('failed'),
    errors: count('error'),
    skipped: count('skipped'),
    flaky: count('flaky'),
  }
}
