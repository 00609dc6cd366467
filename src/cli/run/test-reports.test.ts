import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readReport } from '../../test-results/read-report.ts'
import type { BuildService } from './service.ts'
import { uploadTests } from './test-reports.ts'

const folder = mkdtempSync(join(tmpdir(), 'reports-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Uploads what matches the glob, and returns what was sent. */
async function sent(glob: string, since?: Date) {
  const bodies: Buffer[] = []
  const service = {
    tests: async (_: unknown, bytes: Buffer) => {
      bodies.push(bytes)
      return { kind: 'taken', tests: 1, failing: 0 }
    },
  } as unknown as BuildService
  const done = await uploadTests(service, [join(folder, glob)], { job_name: 'Cook', build_number: '1' }, since)
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

test('a report of an earlier run is left out, and one written as the build began is sent', async () => {
  const began = new Date('2026-01-01T12:00:00Z')
  const write = (name: string, seconds: number) => {
    writeFileSync(join(folder, name), '<testsuite name="a"><testcase name="runs"/></testsuite>')
    utimesSync(join(folder, name), began, new Date(began.getTime() + seconds * 1000))
  }
  write('early.trx', -60)
  write('rounded.trx', -1)
  write('late.trx', 1)
  expect((await sent('*.trx', began)).done.files).toBe(2)
})

test('a service that is away delays the end of a build by a few seconds, however many reports there are', async () => {
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `away${i}.json`), '{}')
  let asked = 0
  const away = {
    tests: async () => {
      asked++
      return { kind: 'later', why: 'connect ECONNREFUSED' }
    },
  } as unknown as BuildService
  const done = await uploadTests(away, [join(folder, 'away*.json')], { job_name: 'Cook', build_number: '1' }, new Date(0))
  expect(done).toMatchObject({
    files: 0,
    refused: [expect.stringContaining('away0.json: connect ECONNREFUSED'), '19 more files were not sent.'],
  })
  // 250 ms, 500 ms, 1 s: the next pause would end after three seconds.
  expect(asked).toBe(4)
})
