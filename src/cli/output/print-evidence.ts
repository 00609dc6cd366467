import type { Investigation } from '../../contract/shapes.ts'
import type { Output } from '../../terminal/output.ts'

/** The lines of a log or of test reports, which have no number, that show why a build failed: whole, however long they are. */
export function printEvidence(evidence: Investigation['evidence'], out: Output) {
  if (evidence.length === 0) return
  if (!out.forPeople) return out.section('Evidence', evidence, ['line', 'text'])
  out.line()
  out.title('Evidence')
  const numberOf = (line: number) => (line === 0 ? '' : String(line))
  const gutter = Math.max(...evidence.map(({ line }) => numberOf(line).length))
  for (const { line, text } of evidence) out.item(`${numberOf(line).padStart(gutter)} │ `, text)
}
