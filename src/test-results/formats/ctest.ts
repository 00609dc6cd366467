import type { TestReport } from '../test-case.ts'
import { caseOf, secondsOf } from '../text.ts'
import type { XmlReader } from '../xml-element.ts'

/** The dashboard's `Test.xml`. A `Test` of the `TestList` has no status: it is planned, not run. */
export function ctest({ cases }: TestReport): XmlReader {
  let found = { name: '', path: '', time: undefined as string | undefined, message: '', output: '' }
  return {
    open({ name, attributes }) {
      if (name === 'Test' && attributes.Status !== undefined)
        found = { name: '', path: '', time: undefined, message: '', output: '' }
    },
    close({ name, attributes, text, parent }) {
      const measured = parent?.attributes.name
      if (name === 'Name' && parent?.name === 'Test') found.name = text
      else if (name === 'Path' && parent?.name === 'Test') found.path = text.trim()
      else if (name === 'Value' && measured === 'Execution Time') found.time = text
      else if (name === 'Value' && (measured === 'Completion Status' || measured === 'Exit Code'))
        found.message = [found.message, text.trim()].filter((part) => part !== '' && part !== 'Completed').join(', ')
      else if (name === 'Value' && parent?.name === 'Measurement' && attributes.encoding === undefined) found.output = text
      if (name !== 'Test' || attributes.Status === undefined) return
      const outcome = attributes.Status === 'passed' ? 'passed' : attributes.Status === 'notrun' ? 'skipped' : 'failed'
      cases.push(
        caseOf({
          suite: found.path,
          name: found.name,
          outcome,
          duration_ms: secondsOf(found.time),
          message: found.message,
          details: outcome === 'failed' ? found.output : '',
          output: found.output,
        }),
      )
    },
  }
}
