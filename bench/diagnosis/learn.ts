import { type Examination, examine } from '../../src/diagnosis/examine.ts'
import { featuresOf } from '../../src/diagnosis/model/features.ts'
import type { StoredModel } from '../../src/diagnosis/model/linear.ts'
import type { LabelledLog } from './labelled-logs.ts'
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

export function learn(lessons: readonly Lesson[]): StoredModel {
  const examples = lessons.flatMap(({ example }) => example ?? [])
  return train(examples, [...new Set(examples.map(({ category }) => category))].sort())
}

const FOLDS = 10

/** Each fold of projects with the model trained on all the others. */
export function learnWithout(lessons: readonly Lesson[]): { projects: Set<string>; model: StoredModel }[] {
  const folds = Array.from({ length: FOLDS }, () => new Set<string>())
  const projects = [...new Set(lessons.map(({ log }) => log.project))].sort()
  for (const [index, project] of projects.entries()) folds[index % FOLDS]!.add(project)
  return folds.map((projects) => ({ projects, model: learn(lessons.filter(({ log }) => !projects.has(log.project))) }))
}
