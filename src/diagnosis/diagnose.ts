import { count, type ExamineOptions, examine } from './examine.ts'
import type { Candidate, Finding } from './finding.ts'
import { type Judge, judge } from './model/judge.ts'
import { ADVICE } from './stages/advice.ts'
import { cluesOf } from './stages/clues.ts'
import { compose } from './stages/compose.ts'
import { attribute } from './suspects/attribute.ts'

export interface Options extends ExamineOptions {
  /** The changes since the last passed build, to find suspects. */
  candidates?: readonly Candidate[]
  /** Another judge: benchmarks score each log with one that learned nothing from its project. */
  judge?: Judge
}

const withoutLog = (): Finding => ({
  category: 'infrastructure',
  confidence: 'low',
  diagnosis: `${ADVICE.infrastructure.what}, so nothing can be said about the cause.`,
  suggested_fix: ADVICE.infrastructure.fix,
  evidence: [],
  file_path: null,
  line: null,
  fingerprint: 'infrastructure',
  cause_keys: [],
  joins_keys: [],
  clues: { rule: 'unknown', tool: '', message: '', files: [], symbols: [], tests: [] },
  steps: [{ name: 'normalise', status: 'skipped', detail: 'No log was sent with the build.', evidence: [] }],
})

/** Finds why the build of this log failed. Deterministic: the same log and rules give the same result. */
export function diagnose(raw: string, options: Options = {}): Finding {
  if (raw.trim() === '') return withoutLog()
  const examination = examine(raw, options)
  const { log, steps, note } = examination
  const verdict = (options.judge ?? judge)(examination)
  note(
    'classify',
    `${verdict.category}, ${verdict.confidence} confidence: ${verdict.because}.`,
    verdict.lead === null ? [] : [verdict.lead],
  )

  const clues = cluesOf(log, verdict)
  const finding = compose(log, verdict, clues, examination.ranked)
  note('compose', `${count(finding.evidence.length, 'line')} of evidence.`, verdict.lead === null ? [] : [verdict.lead])
  const full: Finding = { ...finding, clues, steps }
  if (!options.candidates) return full

  const attribution = attribute(full, options.candidates, log.shown)
  const named = attribution.attributed_author === null ? 'nobody is named' : 'the author is clear'
  note('attribute', `${count(options.candidates.length, 'change')} weighed, ${named}.`)
  return { ...full, attribution }
}
