import { type Examination, examine } from '../../src/diagnosis/examine.ts'
import { featuresOf } from '../../src/diagnosis/model/features.ts'
import type { StoredModel } from '../../src/diagnosis/model/linear.ts'
import { RULES } from '../../src/diagnosis/rules/index.ts'
import type { Verdict } from '../../src/diagnosis/stages/classify.ts'
import type { LabelledLog } from './labeled-logs.ts'
import { type Example, train } from './train.ts'

/** A labeled failed log after its examination. */
export interface Lesson {
  log: LabelledLog
  examination: Examination
  example: Example | null
}

export function lessonsOf(logs: readonly LabelledLog[]): Lesson[] {
  return logs
    .filter(({ label, raw }) => label.category !== 'none' && raw.trim() !== '')
    .map((log) => {
      const examination = examine(log.raw, {})
      const { category } = log.label
      const features = featuresOf(examination.log, examination.segments, examination.ranked, examination.verdict)
      return { log, examination, example: category ? { project: log.project, features, category } : null }
    })
}

/** What our own rules show, as a log of an unknown tool would: by its words alone. */
function textsOfRules(): Example[] {
  return RULES.filter(({ role, category }) => role === 'root' && category !== 'unknown').flatMap(({ tool, category, examples }) =>
    examples.map(({ log: raw, line }) => {
      const { log, segments } = examine(raw, {})
      const lines = log.text.map((_, index) => index)
      const verdict: Verdict = { category, confidence: 'low', because: '', hit: null, lead: line - 1, lines }
      return { project: `rules of ${tool}`, features: featuresOf(log, segments, [], verdict), category }
    }),
  )
}

export function learn(lessons: readonly Lesson[]): StoredModel {
  const examples = [...lessons.flatMap(({ example }) => example ?? []), ...textsOfRules()]
  return train(examples, [...new Set(examples.map(({ category }) => category))].sort())
}

const FOLDS = 5

/** Some projects, and the model trained on all the others. */
export interface Fold {
  projects: ReadonlySet<string>
  model: StoredModel
}

export function learnWithout(lessons: readonly Lesson[]): Fold[] {
  const folds = Array.from({ length: FOLDS }, () => new Set<string>())
  const projects = [...new Set(lessons.map(({ log }) => log.project))].sort()
  for (const [index, project] of projects.entries()) folds[index % FOLDS]!.add(project)
  return folds.map((projects) => ({ projects, model: learn(lessons.filter(({ log }) => !projects.has(log.project))) }))
}
