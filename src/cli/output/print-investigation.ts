import { labelOf } from '../../contract/labels.ts'
import type { Investigation } from '../../contract/shapes.ts'
import type { Call } from '../program/call.ts'
import { printEvidence } from './print-evidence.ts'
import { attributedTo, printSuspects } from './print-suspects.ts'

/** Why a build failed, as far as it is known. */
export async function printInvestigation(found: Investigation, call: Pick<Call, 'client' | 'project' | 'out'>) {
  const { out } = call
  out.line()
  out.title('Investigation')
  const { status, category, confidence } = found
  const who_acts = found.who_acts && labelOf('who_acts', found.who_acts)
  const retry_may_help = found.retry_may_help === null ? null : found.retry_may_help ? 'yes' : 'no'
  out.facts({ status, category, confidence, who_acts, retry_may_help, attributed_to: await attributedTo(found, call) })
  out.prose(found.diagnosis)
  printEvidence(found.evidence, out)
  if (found.suggested_fix) {
    out.line()
    out.title('What to do')
    out.item('', found.suggested_fix.trim())
  }
  await printSuspects(found.suspects, call)
}
