import type { Investigation } from '../../contract/shapes.ts'
import type { Output } from '../../terminal/output.ts'

/** The lines of a log that show why a build failed: whole, however long they are. */
export function tellEvidence(evidence: Investigation['evidence'], out: Output) {
  if (evidence.length === 0) return
  if (!out.forPeople) return out.section('Evidence', evidence, ['line', 'text'])
  out.line()
  out.title('Evidence')
  const gutter = Math.max(...evidence.map(({ line }) => String(line).length))
  for (const { line, text } of evidence) out.item(`${String(line).padStart(gutter)} │ `, text)
}
