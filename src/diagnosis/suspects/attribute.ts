import type { Attribution, Candidate, Finding } from '../finding.ts'
import { clearAuthor } from './author.ts'
import { reasonsFor } from './reasons.ts'
import { scoreAll } from './score.ts'

const MOST_SUSPECTS = 10

/** The changes that may have broken the build, most suspicious first, and the author if that is clear. */
export function attribute(finding: Finding, candidates: readonly Candidate[], log: readonly string[]): Attribution {
  const scores = scoreAll(finding, candidates, log).sort(
    (a, b) => b.score - a.score || (a.candidate.id < b.candidate.id ? -1 : 1),
  )
  const suspects = scores.slice(0, MOST_SUSPECTS).map((score) => {
    const reasons = reasonsFor(score)
    return {
      change_id: score.candidate.id,
      author: score.candidate.author,
      score: Math.round(100 * Math.min(1, score.score)) / 100,
      reasons: reasons.map(({ text }) => text),
      reason_codes: reasons.map(({ code }) => code),
    }
  })
  return { suspects, attributed_author: clearAuthor(finding, scores) }
}
