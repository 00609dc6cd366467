import type { TestOutcome } from '../../contract/sets.ts'
import { isFailing, type TestReport } from '../test-case.ts'
import { caseOf, clockOf } from '../text.ts'
import type { Element, XmlReader } from '../xml-element.ts'

const OUTCOMES: Record<string, TestOutcome | undefined> = {
  Passed: 'passed',
  Completed: 'passed',
  Warning: 'passed',
  PassedButRunAborted: 'passed',
  Failed: 'failed',
  Error: 'error',
  Timeout: 'error',
  Aborted: 'error',
  Disconnected: 'error',
}

interface Result {
  element: Element
  /** It has results of its own inside and only sums them up. */
  isSum: boolean
  message: string
  details: string
  output: string
}

/** Class names are in the definitions, which may follow the results: cases are made at the end. */
export function trx({ cases }: TestReport): XmlReader {
  const open: Result[] = []
  const results: Result[] = []
  const classes = new Map<string, string>()
  let aborted = false
  let runError = ''

  return {
    open(element) {
      if (element.name !== 'UnitTestResult') return
      for (const outer of open) outer.isSum = true
      open.push({ element, isSum: false, message: '', details: '', output: '' })
    },
    close({ name, attributes, text, parent }) {
      const result = open.at(-1)
      if (name === 'UnitTestResult') {
        open.pop()
        if (!result!.isSum) results.push(result!)
      } else if (result) {
        if (name === 'Message' && parent?.name === 'ErrorInfo') result.message = text
        else if (name === 'StackTrace') result.details = text
        else if (name === 'StdOut' || name === 'StdErr') result.output += `${text}\n`
      } else if (name === 'TestMethod' && parent?.attributes.id)
        classes.set(parent.attributes.id, attributes.className?.split(',')[0] ?? '')
      else if (name === 'ResultSummary' && ['Aborted', 'Error'].includes(attributes.outcome ?? '')) aborted = true
      else if (name === 'Text' && parent?.name === 'RunInfo') runError = text
    },
    end() {
      for (const { element, message, details, output } of results) {
        const { testId, testName = '', outcome, duration } = element.attributes
        const className = classes.get(testId ?? '') ?? ''
        cases.push(
          caseOf({
            suite: className,
            class: className,
            name: className !== '' && testName.startsWith(`${className}.`) ? testName.slice(className.length + 1) : testName,
            outcome: OUTCOMES[outcome ?? ''] ?? 'skipped',
            crashed: outcome === 'Aborted' || outcome === 'Disconnected',
            duration_ms: clockOf(duration),
            message,
            details,
            output,
          }),
        )
      }
      // The host died between tests: every case that was written passed.
      if (aborted && !cases.some(isFailing))
        cases.push(
          caseOf({
            name: '(test run)',
            outcome: 'error',
            crashed: true,
            duration_ms: null,
            message: runError || 'The test run was aborted.',
          }),
        )
    },
  }
}
