import type { Correction } from '../../src/diagnosis/corrections.ts'
import { diagnose } from '../../src/diagnosis/diagnose.ts'
import { type Judge, judgeBy } from '../../src/diagnosis/model/judge.ts'
import type { LabelledLog } from './labeled-logs.ts'
import type { Fold, Lesson } from './learn.ts'
import { count, percent, rowOf, zero } from './tally.ts'

/** What a person would say about a wrong finding: the labeled line and category. Null if the label has no line. */
function correctionOf({ label, raw }: LabelledLog, judge: Judge, id: number): Correction | null {
  const lead = diagnose(raw, { judge }).evidence[0]?.line
  const lines = label.error_lines ?? []
  const line = lines.find((each) => each === lead) ?? lines[0] ?? null
  if (line === null || !label.category || label.category === 'unknown') return null
  const own = {
    id,
    own: true,
    line,
    template: null,
    fingerprint: null,
    category: label.category as Correction['category'],
    cause: null,
  }
  const { correction } = diagnose(raw, { judge, corrections: [own] })
  return correction ? { ...own, own: false, template: correction.template, fingerprint: correction.fingerprint } : null
}

/**
 * The logs of each project one after the other, each judged by a model of other projects and by the corrections of the project's earlier logs.
 * Of every ten wrong findings, `share` are corrected after they were counted.
 */
export function corrected(lessons: readonly Lesson[], folds: readonly Fold[], share: number): void {
  const tally = zero()
  let [wrong, applied, right] = [0, 0, 0]
  for (const { projects, model } of folds) {
    const judge = judgeBy(model)
    const known = new Map<string, Correction[]>()
    for (const { log } of lessons) {
      if (!projects.has(log.project)) continue
      const corrections = known.get(log.project) ?? []
      known.set(log.project, corrections)
      const found = diagnose(log.raw, { judge, corrections })
      count(tally, log.label, found)
      const isRight =
        found.category === log.label.category && (log.label.error_lines ?? []).includes(found.evidence[0]?.line ?? 0)
      if (found.correction && log.label.category && log.label.category !== 'unknown') {
        applied++
        if (found.category === log.label.category) right++
      }
      if (isRight || wrong++ % 10 >= share) continue
      const correction = correctionOf(log, judge, wrong)
      if (correction) corrections.unshift(correction)
    }
  }
  console.log(
    `${rowOf(`corrected ${share} of 10`, tally)}   reused ${applied}, category right in ${percent(right, applied).trim()}`,
  )
}
