import type { Candidate, Finding, Step } from './finding.ts'
import { lineOf, linesAt } from './log.ts'
import type { Rule } from './rule.ts'
import { RULES } from './rules/index.ts'
import { ADVICE } from './stages/advice.ts'
import { classify } from './stages/classify.ts'
import { cluesOf } from './stages/clues.ts'
import { compose } from './stages/compose.ts'
import { group } from './stages/group.ts'
import { match, type RuleBook, ruleBook } from './stages/match.ts'
import { normalise } from './stages/normalise.ts'
import { familiarIn, type PassedLines, unfamiliar } from './stages/passed.ts'
import { rank } from './stages/rank.ts'
import { salientLines } from './stages/salient-lines.ts'
import { segment } from './stages/segment.ts'
import { attribute } from './suspects/attribute.ts'

export interface Options {
  /** A studio's own rules: one with the id of ours replaces it, the others come on top. */
  rules?: readonly Rule[]
  /** `passedLines` of the last passed logs of the same job: what stands there too is not why this one failed. */
  passed?: PassedLines
  /** The changes since the last passed build, if somebody should be suspected. */
  candidates?: readonly Candidate[]
}

let ours: RuleBook | undefined
/** Making rules ready takes longer than reading a log; callers keep handing in the same list. */
const theirs = new WeakMap<readonly Rule[], RuleBook>()

/** Cheap once it was asked for the same list. */
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

const withoutLog = (): Finding => ({
  category: 'infrastructure',
  confidence: 'low',
  diagnosis: `${ADVICE.infrastructure.what}, so nothing can be said about the cause.`,
  suggested_fix: ADVICE.infrastructure.fix,
  evidence: [],
  file_path: null,
  line: null,
  fingerprint: 'infrastructure',
  clues: { rule: 'unknown', tool: '', message: '', files: [], symbols: [], tests: [] },
  steps: [{ name: 'normalise', status: 'skipped', detail: 'No log was sent with the build.', evidence: [] }],
})

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`

/** Says why the build that wrote this log failed. Same log, same rules: same answer. */
export function diagnose(raw: string, options: Options = {}): Finding {
  if (raw.trim() === '') return withoutLog()
  const steps: Step[] = []
  const log = normalise(raw)
  const note = (name: string, detail: string, indexes: number[] = []) =>
    steps.push({ name, status: 'done', detail, evidence: indexes.flatMap((index) => linesAt(log, index).slice(0, 1)) })
  note('normalise', `${count(log.shown.length, 'line')}${log.truncated ? '; the beginning is missing' : ''}.`)

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
  const verdict = classify(log, segments, ranked, () =>
    salientLines(log, segments, wrapper.length > 0 ? Math.min(...wrapper) : null, isFamiliar),
  )
  note(
    'classify',
    `${verdict.category}, ${verdict.confidence} confidence: ${verdict.because}.`,
    verdict.lead === null ? [] : [verdict.lead],
  )

  const clues = cluesOf(log, verdict)
  const finding = compose(log, verdict, clues)
  note('compose', `${count(finding.evidence.length, 'line')} of evidence.`, verdict.lead === null ? [] : [verdict.lead])
  const full: Finding = { ...finding, clues, steps }
  if (!options.candidates) return full

  const attribution = attribute(full, options.candidates, log.shown)
  const named = attribution.attributed_author === null ? 'nobody is named' : 'the author is clear'
  note('attribute', `${count(options.candidates.length, 'change')} weighed, ${named}.`)
  return { ...full, attribution }
}
