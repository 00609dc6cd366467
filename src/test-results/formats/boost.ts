import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, lineOf, plain } from '../text.ts'
import type { Element, XmlReader } from '../xml-element.ts'

const WORST: Record<string, TestOutcome | undefined> = { Error: 'failed', FatalError: 'failed', Exception: 'error' }

/** The log of Boost.Test: what happened inside each case. */
export function boostLog({ cases }: TestReport): XmlReader {
  let outcome: TestOutcome = 'passed'
  let messages: string[] = []
  let place: Element | undefined
  let microseconds: string | undefined
  return {
    open({ name }) {
      if (name !== 'TestCase') return
      outcome = 'passed'
      messages = []
      place = undefined
      microseconds = undefined
    },
    close(element) {
      const { name, attributes, text, parent } = element
      if (WORST[name] && parent?.name === 'TestCase') {
        outcome = outcome === 'error' ? outcome : WORST[name]
        messages.push(plain(text))
        place ??= element
      } else if (name === 'TestingTime') microseconds = text
      if (name !== 'TestCase') return
      cases.push(
        caseOf({
          ...namesOf(element),
          outcome: attributes.skipped === 'yes' ? 'skipped' : outcome,
          duration_ms: microseconds === undefined ? null : Math.round(Math.max(0, Number(microseconds) || 0) / 1000),
          message: messages.join('\n'),
          details: messages.join('\n'),
          file: place?.attributes.file,
          line: lineOf(place?.attributes.line),
        }),
      )
    },
  }
}

const RESULTS: Record<string, TestOutcome | undefined> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  aborted: 'error',
}

/** The report of Boost.Test: one result per case. */
export const boostResult = ({ cases }: TestReport): XmlReader => ({
  close(element) {
    if (element.name !== 'TestCase') return
    cases.push(caseOf({ ...namesOf(element), outcome: RESULTS[element.attributes.result ?? ''] ?? 'error', duration_ms: null }))
  },
})

function namesOf({ attributes, parent }: Element) {
  const names: string[] = []
  for (let at = parent; at?.name === 'TestSuite'; at = at.parent) names.unshift(at.attributes.name ?? '')
  const suite = names.join('.')
  return { suite, class: suite, name: attributes.name }
}
