import { diagnose } from '../../src/diagnosis/diagnose.ts'
import { judgeBy } from '../../src/diagnosis/model/judge.ts'
import { corrected } from './corrections.ts'
import type { LabelledLog } from './labeled-logs.ts'
import { type Fold, learnWithout, lessonsOf } from './learn.ts'
import { count, interval, rowOf, sureness, type Tally, zero } from './tally.ts'

/** Correct and total, by project. */
type Parts = Map<string, [number, number]>

const add = (parts: Parts, project: string, part: number, all: number) => {
  const [right, sum] = parts.get(project) ?? [0, 0]
  if (all > 0) parts.set(project, [right + part, sum + all])
}

/** The failed logs again, each judged by a model of other projects. Rules are not trained: their share of the gap does not show. */
export function leftOut(logs: readonly LabelledLog[], plain: Tally): Fold[] {
  const lessons = lessonsOf(logs)
  const all = zero()
  const [first, kind, acts]: [Parts, Parts, Parts] = [new Map(), new Map(), new Map()]
  const folds = learnWithout(lessons)
  for (const { projects, model } of folds) {
    const judge = judgeBy(model)
    for (const { log } of lessons.filter(({ log }) => projects.has(log.project))) {
      const alone = zero()
      const found = diagnose(log.raw, { judge })
      for (const tally of [alone, all]) count(tally, log.label, found)
      add(first, log.project, alone.first, alone.logs)
      add(kind, log.project, alone.kind, alone.kinds)
      add(acts, log.project, alone.acts, alone.kinds)
    }
  }
  const gap = 100 * (plain.kind / plain.kinds - all.kind / all.kinds)
  console.log(rowOf('projects left out', all))
  console.log(
    `95 % intervals over projects: first ${interval(first)}, kind ${interval(kind)}, who acts ${interval(acts)}; kind ${gap.toFixed(1)} points below plain`,
  )
  console.log(`left out, ${sureness(all)}`)
  for (const share of [3, 10]) corrected(lessons, folds, share)
  return folds
}
