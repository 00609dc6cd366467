import type { Investigation } from '../../contract/shapes.ts'
import type { Output } from '../../terminal/output.ts'
import { cleanLines } from '../../terminal/text.ts'

/** Why a build failed, as far as it is known. */
export function tellInvestigation(found: Investigation, out: Output) {
  out.line()
  out.title('Investigation')
  const { status, category, confidence, attributed_user_id: person } = found
  out.facts({ status, category, confidence, attributed_to: person === null ? null : `user:${person}` })
  out.prose(found.diagnosis)
  out.section('Evidence', found.evidence, ['line', 'text'])
  if (found.suggested_fix) {
    out.line()
    out.title('What to do')
    out.line(cleanLines(found.suggested_fix).trim())
  }
  out.section('Suspects', found.suspects, ['change_id', 'user_id', 'score', 'reasons'])
}
