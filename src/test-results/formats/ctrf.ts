import { MISSING_REPORT } from '../../contract/labels/missing-report.ts'
import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, lineOf } from '../text.ts'

const OUTCOMES: Record<string, TestOutcome | undefined> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  pending: 'skipped',
  other: 'skipped',
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : Array.isArray(value) ? value.filter((each) => typeof each === 'string').join('\n') : ''

/** A test of a Common Test Report Format file. */
export function addCtrfTest({ cases }: TestReport, test: object) {
  const given = test as Record<string, unknown>
  const suite = (Array.isArray(given.suite) ? given.suite : [given.suite]).filter((each) => typeof each === 'string').join(' › ')
  const outcome = OUTCOMES[textOf(given.status)] ?? 'error'
  const { duration } = given
  cases.push(
    caseOf({
      suite,
      name: textOf(given.name),
      outcome: outcome === 'passed' && given.flaky === true ? 'flaky' : outcome,
      duration_ms: typeof duration === 'number' && Number.isFinite(duration) ? Math.round(Math.max(0, duration)) : null,
      crashed: textOf(given.name) === MISSING_REPORT.name && textOf(given.message).startsWith(MISSING_REPORT.message),
      message: textOf(given.message),
      details: textOf(given.trace),
      output: [textOf(given.stdout), textOf(given.stderr)].filter((part) => part !== '').join('\n'),
      file: textOf(given.filePath),
      line: lineOf(given.line as number | undefined),
    }),
  )
}
