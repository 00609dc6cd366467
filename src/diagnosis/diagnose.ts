import { type Correction, correct } from './corrections.ts'
import { count, type Examination, type ExamineOptions, examine } from './examine.ts'
import type { Candidate, Finding } from './finding.ts'
import { type Judge, judge } from './model/judge.ts'
import { ADVICE } from './stages/advice.ts'
import type { Verdict } from './stages/classify.ts'
import { cluesOf } from './stages/clues.ts'
import { compose } from './stages/compose.ts'
import { separateFailure, withSeparate } from './stages/separate.ts'
import { attribute } from './suspects/attribute.ts'

export interface Options extends ExamineOptions {
  /** The changes since the last passed build, to find suspects. */
  candidates?: readonly Candidate[]
  /** What people corrected in findings of this project, newest first. */
  corrections?: readonly Correction[]
  /** Another judge: benchmarks score each log with one that learned nothing from its project. */
  judge?: Judge
}

const withoutLog = (own: Correction | undefined): Finding => ({
  category: own?.category ?? 'infrastructure',
  confidence: own ? 'high' : 'low',
  diagnosis: own?.cause ?? `${ADVICE.infrastructure.what}, so nothing can be said about the cause.`,
  suggested_fix: ADVICE.infrastructure.fix,
  evidence: [],
  file_path: null,
  line: null,
  fingerprint: 'infrastructure',
  cause_keys: [],
  joins_keys: [],
  clues: { rule: 'unknown', tool: '', message: '', files: [], symbols: [], tests: [] },
  steps: [{ name: 'normalize', status: 'skipped', detail: 'No log was sent with the build.', evidence: [] }],
  ...(own && { correction: { id: own.id, own: true, template: null, fingerprint: 'infrastructure' } }),
})

/** Finds why the build of this log failed. Deterministic: the same log and rules give the same result. */
export function diagnose(raw: string, options: Options = {}): Finding {
  if (raw.trim() === '') return withoutLog(options.corrections?.find((each) => each.own))
  const examination = examine(raw, options)
  const { log, steps, note } = examination
  const verdict = (options.judge ?? judge)(examination)
  note(
    'classify',
    `${verdict.category}, ${verdict.confidence} confidence: ${verdict.because}.`,
    verdict.lead === null ? [] : [verdict.lead],
  )

  const full = { ...composed(examination, verdict, options), steps }
  note('compose', `${count(full.evidence.length, 'line')} of evidence.`, verdict.lead === null ? [] : [verdict.lead])
  if (!options.candidates) return full

  const attribution = attribute(full, options.candidates, log.shown)
  const named = attribution.attributed_author === null ? 'nobody is named' : 'the author is clear'
  note('attribute', `${count(options.candidates.length, 'change')} weighed, ${named}.`)
  return { ...full, attribution }
}

/** The finding in words, after the correction of a person if there is one for it. */
function composed(examination: Examination, verdict: Verdict, { corrections = [], passed }: Options): Omit<Finding, 'steps'> {
  const { log, segments, ranked, note } = examination
  const clues = cluesOf(log, verdict)
  const found = compose(log, verdict, clues, ranked)
  const corrected = corrections.length > 0 ? correct(examination, verdict, found, corrections, passed) : null
  if (!corrected) {
    const separate = separateFailure(log, segments, ranked, verdict)
    return { ...(separate === null ? found : withSeparate(found, log, separate)), clues }
  }
  const { applied, cause } = corrected
  const lead = corrected.verdict.lead
  note(
    'correct',
    `${applied.own ? 'This build was corrected' : 'The same failure was corrected before'}: correction ${applied.id}.`,
    lead === null ? [] : [lead],
  )
  const isMoved = lead !== verdict.lead
  const newClues = isMoved ? cluesOf(log, corrected.verdict) : clues
  const { fingerprint, cause_keys, joins_keys, ...finding } = compose(log, corrected.verdict, newClues, ranked)
  return {
    ...finding,
    ...(cause !== null && { diagnosis: cause }),
    // Another category or cause for the same line is the same failure.
    ...(isMoved
      ? { fingerprint, cause_keys, joins_keys }
      : { fingerprint: found.fingerprint, cause_keys: found.cause_keys, joins_keys: found.joins_keys }),
    clues: newClues,
    correction: applied,
  }
}
