import type { Step } from './finding.ts'
import { type Log, lineOf, linesAt } from './log.ts'
import type { Rule } from './rule.ts'
import { RULES } from './rules/index.ts'
import { classify, type Verdict } from './stages/classify.ts'
import { group } from './stages/group.ts'
import { match, type RuleBook, ruleBook } from './stages/match.ts'
import { normalize } from './stages/normalize.ts'
import { familiarIn, type PassedLines, unfamiliar } from './stages/passed.ts'
import { type Ranked, rank } from './stages/rank.ts'
import { salientLines } from './stages/salient-lines.ts'
import { type Segments, segment } from './stages/segment.ts'

let ours: RuleBook | undefined
/** Compiling rules takes longer than reading a log; callers pass the same list repeatedly. */
const theirs = new WeakMap<readonly Rule[], RuleBook>()

/** Cached per list. */
export function bookFor(own: readonly Rule[] | undefined): RuleBook {
  if (!own || own.length === 0) {
    ours ??= ruleBook(RULES)
    return ours
  }
  const known = theirs.get(own)
  if (known) return known
  const ids = new Set(own.map((rule) => rule.id))
  const book = ruleBook([...own, ...RULES.filter((rule) => !ids.has(rule.id))])
  theirs.set(own, book)
  return book
}

/** The result of the rules for a log, before its confidence is judged. */
export interface Examination {
  log: Log
  segments: Segments
  ranked: Ranked[]
  verdict: Verdict
  steps: Step[]
  note(name: string, detail: string, indexes?: number[]): void
}

export interface ExamineOptions {
  /** A studio's own rules: one with the id of a built-in rule replaces it, the others are added. */
  rules?: readonly Rule[]
  /** `passedLines` of the last passed logs of the same job: lines that they also have are not the cause. */
  passed?: PassedLines
  /** The build is known to have failed: then its log shows a failure, however it ends. */
  failed?: boolean
}

export const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Finds the line of the cause and the lines that belong to it. */
export function examine(raw: string, options: ExamineOptions): Examination {
  const steps: Step[] = []
  const log = normalize(raw)
  const note = (name: string, detail: string, indexes: number[] = []) =>
    steps.push({ name, status: 'done', detail, evidence: indexes.flatMap((index) => linesAt(log, index).slice(0, 1)) })
  note('normalize', `${count(log.shown.length, 'line')}${log.truncated ? '; the beginning is missing' : ''}.`)

  const segments = segment(log)
  const { failing } = segments
  note(
    'segment',
    failing
      ? `The step that failed${failing.command ? ` is “${failing.command}”` : ''}: lines ${lineOf(log, failing.start)} to ${lineOf(log, failing.end)}.`
      : segments.succeededAt !== null
        ? 'The log says itself that the build went well.'
        : 'No step is marked as failed.',
    failing ? [failing.end] : segments.succeededAt === null ? [] : [segments.succeededAt],
  )

  const book = bookFor(options.rules)
  const hits = match(log, book)
  note('match', `${count(hits.length, 'line')} matched one of ${count(book.rules.length, 'rule')}.`)

  const isFamiliar = familiarIn(log, options.passed)
  const found = group(log, hits)
  const groups = unfamiliar(log, found, isFamiliar)
  const familiar = found.length - groups.length
  note(
    'group',
    `${count(groups.length, 'group')} of neighbouring lines${familiar > 0 ? `; ${familiar} more stand in passed logs too` : ''}.`,
  )

  const ranked = rank(log, segments, groups)
  note(
    'rank',
    ranked.length > 0
      ? `Best: ${ranked
          .slice(0, 3)
          .map((each) => `${each.lead.rule.id} (${Math.round(each.score)})`)
          .join(', ')}.`
      : 'No rule knows this failure; the most telling lines are shown.',
    ranked.slice(0, 3).map((each) => each.lead.index),
  )

  const wrapper = ranked.filter((each) => each.lead.rule.role === 'wrapper').map((each) => each.start)
  const find = () => salientLines(log, segments, wrapper.length > 0 ? Math.min(...wrapper) : null, isFamiliar)
  const verdict = classify(log, segments, ranked, find, options.failed ?? false)
  return { log, segments, ranked, verdict, steps, note }
}
