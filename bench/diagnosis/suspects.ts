import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { nextStep, priorOf, type Trial } from '../../src/diagnosis/bisection/bisection.ts'
import { diagnose } from '../../src/diagnosis/diagnose.ts'
import type { Candidate } from '../../src/diagnosis/finding.ts'
import { judge, judgeBy } from '../../src/diagnosis/model/judge.ts'
import { readLog } from './labeled-logs.ts'
import type { Fold } from './learn.ts'
import { interval, percent } from './tally.ts'

/** A failed log, the changes of its range, and the one that broke it. */
interface Case {
  log: string
  project: string
  suspects: Candidate[]
  culprit: string | null
  attributable: boolean
}

/** Of the cases of some projects: how many, how many named, how many of those right. */
const named = (parts: readonly (readonly [number, number, number])[]) => {
  const [cases, some, right] = [0, 1, 2].map((at) => parts.reduce((sum, part) => sum + part[at]!, 0)) as [number, number, number]
  return `${cases} cases, named${percent(some, cases)}, right${percent(right, some)}`
}

/** The same by fold of projects; weights and rules were chosen with all of them in view, only the model never saw the project. */
function byFold(folds: readonly Fold[], found: ReadonlyMap<string, readonly [number, number, number]>): void {
  folds.forEach(({ projects }, at) => {
    const parts = [...found].filter(([project]) => projects.has(project)).map(([, part]) => part)
    console.log(`suspects, fold ${at + 1}, ${parts.length} projects: ${named(parts)}`)
  })
  const share = (right: 1 | 2, all: 0 | 1) =>
    interval(
      new Map([...found].filter(([, part]) => part[all] > 0).map(([project, part]) => [project, [part[right], part[all]]])),
    )
  console.log(
    `suspects, projects left out: ${named([...found.values()])}; 95 % intervals over projects: named ${share(1, 0)}, right ${share(2, 1)}`,
  )
}

/** How often an author is named and right, and what a bisection takes where nobody is. */
export function suspects(root: string, folds: readonly Fold[]): void {
  const folder = join(root, 'attribution')
  if (!existsSync(join(folder, 'labels.jsonl'))) return
  const cases = readFileSync(join(folder, 'labels.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Case)
  const all = { cases: 0, top: 0, named: 0, right: 0, blamed: 0 }
  const unnamed: Searched[] = []
  const found = new Map<string, [number, number, number]>()
  for (const { log, project, suspects, culprit, attributable } of cases) {
    const fold = folds.find(({ projects }) => projects.has(project.toLowerCase()))
    const { suspects: ranked, attributed_author: named } = diagnose(readLog(resolve(folder, log)), {
      candidates: suspects,
      judge: fold ? judgeBy(fold.model) : judge,
    }).attribution!
    if (!attributable || culprit === null) {
      if (named !== null) all.blamed++
      continue
    }
    all.cases++
    const part = found.get(project.toLowerCase()) ?? [0, 0, 0]
    found.set(project.toLowerCase(), part)
    part[0]++
    if (named !== null) part[1]++
    if (named !== null && named === suspects.find(({ id }) => id === culprit)?.author) part[2]++
    if (ranked[0]?.change_id === culprit) all.top++
    if (named !== null) {
      all.named++
      if (named === suspects.find(({ id }) => id === culprit)?.author) all.right++
    } else {
      const scores = suspects.map(({ id }) => ranked.find(({ change_id }) => change_id === id)?.score ?? 0)
      unnamed.push({ scores, culprit: suspects.findIndex(({ id }) => id === culprit) })
    }
  }
  console.log(
    `suspects: ${all.cases} cases, first${percent(all.top, all.cases)}, named${percent(all.named, all.cases)}, right${percent(all.right, all.named)}, named where no change is the cause ${all.blamed}`,
  )
  byFold(folds, found)
  for (const size of [8, 64]) {
    search(`scores, ${size} changes`, unnamed, size, (scores) => scores)
    search(`no scores, ${size} changes`, unnamed, size, (scores) => scores.map(() => 0))
  }
}

interface Searched {
  scores: number[]
  culprit: number
}

const ROUNDS = 100
const FLAKY = 0.1

/** Searches for the culprits of cases where nobody is named, at random places among the changes of other cases. */
function search(name: string, cases: readonly Searched[], size: number, seen: (scores: number[]) => number[]): void {
  let state = 1
  const random = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state / 0x80000000
  }
  const others = cases.flatMap(({ scores, culprit }) => scores.filter((_, at) => at !== culprit))
  let [searches, builds, right] = [0, 0, 0]
  for (const { scores, culprit } of cases)
    for (let round = 0; round < ROUNDS; round++) {
      const place = Math.floor(random() * size)
      const innocent = () => others[Math.floor(random() * others.length)]!
      const prior = priorOf(seen(Array.from({ length: size }, (_, at) => (at === place ? scores[culprit]! : innocent()))))
      const trials: Trial[] = []
      let step = nextStep({ prior, trials })
      while (step.kind === 'build') {
        const failed = step.index >= place || random() < FLAKY
        trials.push({ index: step.index, verdict: failed ? 'bad' : 'good' })
        step = nextStep({ prior, trials })
      }
      searches++
      builds += trials.length
      if (step.kind === 'found' && step.index === place) right++
    }
  console.log(
    `bisection where nobody is named, ${name}: ${(builds / searches).toFixed(1)} builds, right${percent(right, searches)}`,
  )
}
