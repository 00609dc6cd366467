import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, secondsOf, splitName } from '../text.ts'
import type { Element, XmlReader } from '../xml-element.ts'

/** Results of NUnit 3 and 2. An inconclusive case asserted nothing: it is skipped. */
const OUTCOMES: Record<string, TestOutcome | undefined> = {
  Passed: 'passed',
  Warning: 'passed',
  Success: 'passed',
  Failed: 'failed',
  Failure: 'failed',
  Error: 'error',
  Cancelled: 'error',
  Skipped: 'skipped',
  Inconclusive: 'skipped',
  Ignored: 'skipped',
  NotRunnable: 'skipped',
  Invalid: 'skipped',
}

interface Found {
  failed: boolean
  message: string
  details: string
  output: string
}

/** Failures of a `test-suite` sum up its cases, so only cases count. */
export function nunit(report: TestReport): XmlReader {
  const { cases } = report
  let found: Found | undefined
  return {
    open({ name }) {
      if (name === 'test-case') found = { failed: false, message: '', details: '', output: '' }
    },
    close({ name, attributes, text, parent }) {
      if (name === 'property' && attributes.name === 'platform' && !found) report.mode ||= (attributes.value ?? '').slice(0, 100)
      if (!found) return
      const reason = parent?.name === 'failure' || parent?.name === 'reason'
      if (name === 'failure' && parent?.name === 'test-case') found.failed = true
      else if (name === 'message' && reason) found.message = text
      else if (name === 'stack-trace' && reason) found.details = text
      else if (name === 'output') found.output = text
      if (name !== 'test-case') return
      cases.push(
        caseOf({
          ...splitName(attributes.fullname ?? attributes.name ?? '', attributes.name ?? ''),
          suite: fixtureOf(parent),
          outcome: outcomeOf(attributes, found.failed),
          duration_ms: secondsOf(attributes.duration ?? attributes.time),
          message: found.message,
          details: found.details,
          output: found.output,
        }),
      )
      found = undefined
    },
  }
}

function outcomeOf({ result, success, executed }: Record<string, string>, failed: boolean): TestOutcome {
  if (result !== undefined) return OUTCOMES[result] ?? (failed ? 'failed' : 'error')
  if (executed?.toLowerCase() === 'false') return 'skipped'
  return failed || success?.toLowerCase() === 'false' ? 'failed' : 'passed'
}

function fixtureOf(parent: Element | undefined): string {
  let fixture: Element | undefined
  for (let at = parent; at; at = at.parent)
    if (at.name === 'test-suite') {
      fixture ??= at
      if (at.attributes.type === 'TestFixture') {
        fixture = at
        break
      }
    }
  return fixture?.attributes.fullname ?? fixture?.attributes.name ?? ''
}
