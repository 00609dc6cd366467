import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readReport } from '../../test-results/read-report.ts'
import type { BuildService } from './service.ts'
import { uploadTests } from './test-reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Uploads what matches the glob, and returns what was sent. */
async function sent(glob: string) {
  const bodies: Buffer[] = []
  const service = {
    tests: async (_: unknown, bytes: Buffer) => {
      bodies.push(bytes)
      return { kind: 'taken', tests: 1, failing: 0 }
    },
  } as unknown as BuildService
  const done = await uploadTests(service, [join(folder, glob)], { job_name: 'Cook', build_number: '1' })
  return { done, reports: await Promise.all(bodies.map((body) => readReport(body))) }
}

test('tests that left no report are reported as a failed test', async () => {
  const { done, reports } = await sent('*.xml')
  expect(done).toMatchObject({ files: 0, refused: [] })
  expect(reports.map(({ cases }) => cases)).toMatchObject([
    [{ name: 'Test report', outcome: 'failed', message: expect.stringContaining('no file matches') }],
  ])
})

test('a report that was written is sent alone', async () => {
  writeFileSync(join(folder, 'junit.xml'), '<testsuite name="a"><testcase name="walks"/></testsuite>')
  const { done, reports } = await sent('*.xml')
  expect(done.files).toBe(1)
  expect(reports.map(({ cases }) => cases)).toMatchObject([[{ name: 'walks', outcome: 'passed' }]])
})
