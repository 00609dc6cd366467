import type { TestOutcome } from '../../contract/sets.ts'
import type { TestReport } from '../test-case.ts'
import { caseOf, secondsOf } from '../text.ts'
import type { XmlReader } from '../xml-element.ts'

const OUTCOMES: Record<string, TestOutcome | undefined> = { Pass: 'passed', Fail: 'failed', Skip: 'skipped', NotRun: 'skipped' }

/** The name contains the arguments, so type and method would make several cases one. */
export function xunit({ cases }: TestReport): XmlReader {
  let found = { message: '', details: '', output: '' }
  const clear = () => {
    found = { message: '', details: '', output: '' }
  }
  return {
    open({ name }) {
      if (name === 'test' || name === 'error') clear()
    },
    close({ name, attributes, text, parent }) {
      if (name === 'message') found.message = text
      else if (name === 'stack-trace') found.details = text
      else if (name === 'output') found.output = text
      else if (name === 'reason') found.message = text || attributes.message || found.message
      else if (name === 'error' && parent?.name === 'errors')
        cases.push(
          caseOf({
            ...found,
            name: attributes.name ?? '(assembly)',
            suite: attributes.type,
            outcome: 'error',
            duration_ms: null,
          }),
        )
      else if (name === 'test') {
        const { name: title = '', type = '', result, time } = attributes
        const inType = type !== '' && title.startsWith(`${type}.`)
        cases.push(
          caseOf({
            ...found,
            suite: parent?.attributes.name ?? type,
            class: inType ? type : '',
            name: inType ? title.slice(type.length + 1) : title,
            outcome: OUTCOMES[result ?? ''] ?? 'error',
            duration_ms: secondsOf(time),
          }),
        )
        clear()
      }
    },
  }
}
