import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, lineOf, secondsOf } from '../text.ts'
import type { Element, XmlReader } from '../xml-element.ts'

/** The worst child of a case decides. A case that failed and passed when run again is flaky. */
const OUTCOMES: Record<string, TestOutcome | undefined> = {
  error: 'error',
  failure: 'failed',
  skipped: 'skipped',
  flakyFailure: 'flaky',
  flakyError: 'flaky',
}
const ORDER: TestOutcome[] = ['error', 'failed', 'skipped', 'flaky']
const NOT_RUN = ['notrun', 'disabled', 'skipped', 'suppressed']
const OUTPUTS = ['system-out', 'system-err']

interface Found {
  outcomes: Set<TestOutcome>
  messages: string[]
  details: string[]
  output: string
}

/** JUnit and its dialects. Elements are counted: the attributes `tests` and `failures` count reruns or assertions in many files. */
export function junit({ cases }: TestReport): XmlReader {
  let found: Found | undefined

  const close = (element: Element) => {
    const { name, attributes, text, parent } = element
    const outcome = OUTCOMES[name]
    if (parent?.name === 'testcase' && found) {
      if (outcome) add(found, outcome, element)
      else if (OUTPUTS.includes(name)) found.output += `${text}\n`
    } else if (parent?.name === 'testsuite' && (outcome === 'error' || outcome === 'failed'))
      cases.push(
        caseOf({
          suite: suiteOf(parent),
          class: parent.attributes.name,
          name: '(suite)',
          outcome: 'error',
          duration_ms: null,
          message: attributes.message,
          details: text,
        }),
      )
    // Nested in a rerun: the trace of an earlier attempt.
    else if (name === 'stackTrace' && parent) parent.text += text
    if (name !== 'testcase' || !found) return
    const notRun = NOT_RUN.includes(attributes.status?.toLowerCase() ?? '') || NOT_RUN.includes(attributes.result ?? '')
    cases.push(
      caseOf({
        suite: suiteOf(parent),
        class: attributes.classname ?? parent?.attributes.name,
        name: attributes.name,
        outcome: ORDER.find((each) => found!.outcomes.has(each)) ?? (notRun ? 'skipped' : 'passed'),
        duration_ms: secondsOf(attributes.time),
        message: found.messages.join('\n'),
        details: found.details.join('\n\n'),
        output: found.output,
        file: attributes.file ?? parent?.attributes.file,
        line: lineOf(attributes.line),
      }),
    )
    found = undefined
  }

  return {
    open({ name }) {
      if (name === 'testcase') found = { outcomes: new Set(), messages: [], details: [], output: '' }
    },
    close,
  }
}

/** A case may have hundreds of failures: Catch2 writes one per assertion. */
const KEPT = 20

function add({ outcomes, messages, details }: Found, outcome: TestOutcome, { attributes, text }: Element) {
  outcomes.add(outcome)
  if (details.length >= KEPT) return
  if (attributes.message) messages.push(attributes.message)
  if (text.trim() !== '') details.push(text)
}

function suiteOf(element: Element | undefined): string {
  const names: string[] = []
  for (let suite = element; suite?.name === 'testsuite'; suite = suite.parent)
    if (suite.attributes.name) names.unshift(suite.attributes.name)
  return names.join(' › ')
}
