import { readFileSync, statSync } from 'node:fs'
import { MISSING_REPORT } from '../../contract/labels/missing-report.ts'
import { filesOf } from './artifacts.ts'
import type { BuildService, Outcome } from './service.ts'

/** For all reports of a build together. */
/** For all reports together. */
const UPLOAD_MS = 60_000
const AWAY_MS = 3_000
/** File systems store times with a precision of up to 2 s. */
const MTIME_MS = 2_000

/** The build and report that test results belong to. */
interface TestsOf {
  job_name: string
  build_number: string
  report?: string
  platform?: string
}

interface Uploaded {
  files: number
  tests: number
  failing: number
  /** Files that were not accepted, and why. */
  refused: string[]
}

/**
 * Sends every matching report. With `since`, at the end of a build, files that are older are left out: an earlier run wrote them; and a
 * service that has not answered the build yet is away, so the build does not wait for it long. Once it does not answer in time, the other
 * reports are not tried.
 */
export async function uploadTests(service: BuildService, globs: readonly string[], of: TestsOf, since?: Date): Promise<Uploaded> {
  const done: Uploaded = { files: 0, tests: 0, failing: 0, refused: [] }
  const began = performance.now()
  const until = () => began + (since && service.version === undefined ? AWAY_MS : UPLOAD_MS)
  let [silent, left] = [false, 0]
  for (const { name } of filesOf(globs)) {
    const bytes = readIfNew(name, since)
    if (bytes === undefined) continue
    if (silent) {
      left++
      continue
    }
    const outcome =
      typeof bytes === 'string' ? { kind: 'never' as const, why: bytes } : await insistOnTests(service, of, bytes, until)
    silent = outcome.kind === 'later' && !outcome.too_large
    if (outcome.kind !== 'taken') done.refused.push(`${name}: ${outcome.why}`)
    else {
      done.files++
      done.tests += outcome.tests ?? 0
      done.failing += outcome.failing ?? 0
    }
  }
  if (left > 0) done.refused.push(`${left} more ${left === 1 ? 'file was' : 'files were'} not sent.`)
  if (done.files + done.refused.length === 0) await insistOnTests(service, of, missingReport(globs), until)
  return done
}

/** Its bytes, or why it can't be read: a program may still hold it open, or have deleted it. */
function readIfNew(name: string, since: Date | undefined): Buffer | string | undefined {
  try {
    return since && statSync(name).mtimeMs < since.getTime() - MTIME_MS ? undefined : readFileSync(name)
  } catch (error) {
    return (error as Error).message
  }
}

/** Tests that should have run and left no report are a failure: a report of one test that says so. */
const missingReport = (globs: readonly string[]) =>
  Buffer.from(
    JSON.stringify({
      results: {
        tool: { name: 'goldmaster' },
        tests: [
          {
            name: MISSING_REPORT.name,
            status: 'failed',
            message: `${MISSING_REPORT.message}: no file matches ${globs.join(' ')}`,
            duration: 0,
          },
        ],
      },
    }),
  )

async function insistOnTests(service: BuildService, of: TestsOf, bytes: Buffer, until: () => number): Promise<Outcome> {
  for (let wait = 250; ; wait *= 2) {
    const outcome = await service.tests({ ...of }, bytes, Math.max(1, Math.ceil((until() - performance.now()) / 1000)))
    const pause = outcome.kind === 'later' ? (outcome.seconds === undefined ? wait : outcome.seconds * 1000) : 0
    if (outcome.kind !== 'later' || outcome.too_large || performance.now() + pause >= until()) return outcome
    await new Promise((done) => setTimeout(done, pause))
  }
}

export const summaryOf = ({ files, tests, failing }: Uploaded): string =>
  `${tests} ${tests === 1 ? 'test' : 'tests'} in ${files} ${files === 1 ? 'file' : 'files'}, ${failing} failed`
