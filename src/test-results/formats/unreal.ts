import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, lineOf, splitName } from '../text.ts'

/** `InProcess`: the editor died in this test, while the report's own counters say that nothing failed. */
const OUTCOMES: Record<string, TestOutcome | undefined> = {
  Success: 'passed',
  SuccessWithWarnings: 'passed',
  Fail: 'failed',
  InProcess: 'error',
  Skipped: 'skipped',
  NotRun: 'skipped',
}

interface Entry {
  event?: { type?: unknown; message?: unknown }
  filename?: unknown
  lineNumber?: unknown
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** The engine spells keys with odd capitals (`rHI`), and not the same in every version. */
const keyed = (value: object) => new Map(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each as unknown]))

/** A test of Unreal's `index.json`. Only 5.1 and later say how long it took. */
export function addUnrealTest({ cases }: TestReport, test: object) {
  const given = keyed(test)
  const path = textOf(given.get('fulltestpath'))
  const entries = (Array.isArray(given.get('entries')) ? given.get('entries') : []) as Entry[]
  const errors = entries.filter(({ event }) => event?.type === 'Error')
  const duration = given.get('duration')
  const outcome = OUTCOMES[textOf(given.get('state'))] ?? 'error'
  const names = splitName(path, textOf(given.get('testdisplayname')))
  const split = names.class === '' ? splitName(path, path.slice(path.lastIndexOf('.') + 1)) : names
  const messages = errors.map(({ event }) => textOf(event?.message))
  cases.push(
    caseOf({
      ...split,
      suite: split.class,
      outcome,
      crashed: outcome === 'error',
      duration_ms: typeof duration === 'number' ? Math.round(Math.max(0, duration) * 1000) : null,
      message: messages[0] ?? (outcome === 'error' ? 'The test did not finish: the process ended in it.' : ''),
      details: messages.join('\n'),
      output: entries.map(({ event }) => `${textOf(event?.type)}: ${textOf(event?.message)}`).join('\n'),
      file: textOf(errors[0]?.filename),
      line: lineOf(errors[0]?.lineNumber as number | undefined),
    }),
  )
}

/** Several devices of one platform are one report; of several platforms none is named. */
export function addUnrealDevice(report: TestReport, device: object, isFirst: boolean) {
  const given = keyed(device)
  const platform = textOf(given.get('platform')).slice(0, 100)
  const rhi = textOf(given.get('rhi')).slice(0, 100)
  report.platform = isFirst || report.platform === platform ? platform : ''
  report.rhi = isFirst || report.rhi === rhi ? rhi : ''
}
