import type { EvidenceLine } from '../finding.ts'
import { mentionsIn } from './mentions.ts'
import { Neighbourhood } from './neighbourhood.ts'
import { bareFinding } from './related-changes.ts'

/** The files that the first line of evidence with a file names. */
export function namedFiles(evidence: readonly EvidenceLine[]): string[] {
  for (const { text } of evidence) {
    const line = [{ line: 1, text }]
    const found = mentionsIn([text], new Neighbourhood(bareFinding('unknown', line))).filter(({ kind }) => kind === 'file')
    if (found.length > 0) return found.map((mention) => mention.text)
  }
  return []
}
