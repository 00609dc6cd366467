import type { Confidence, FailureCategory } from '../../contract/sets.ts'
import { isShown, type Log } from '../log.ts'
import { categoryOfUnknown, isCheck } from './command.ts'
import { detailed } from './detail.ts'
import type { Hit } from './match.ts'
import type { Ranked } from './rank.ts'
import { reasonIn } from './reason.ts'
import type { SalientLines } from './salient-lines.ts'
import type { Segments } from './segment.ts'

/** The decision, in indexes of the log; `compose` turns it into text. */
export interface Verdict {
  category: FailureCategory
  confidence: Confidence
  because: string
  hit: Hit | null
  /** Index of the line of the cause. */
  lead: number | null
  /** All lines of the evidence in order, including the lead. */
  lines: number[]
}

const EVIDENCE_MAX = 300

/** A match this good in the right place, or a rule this specific anywhere, was right nine times out of ten on labeled logs. */
const SURE = 85
const SPECIFIC = 72
const LIKELY = 60

/** Up to this score a compiler rule may have matched a linter. */
const AMBIGUOUS = 62

/** The weight from which unknown lines are preferred to a weak match. */
const MEANINGFUL = 3

const linesOf = (log: Log, start: number, end: number) => {
  const lines: number[] = []
  for (let i = start; i <= end && lines.length < EVIDENCE_MAX; i++) if (isShown(log, i)) lines.push(i)
  return lines
}

/** From this many lines on, a step went on as if nothing had happened. */
const LONG_AFTER = 100

const isSurvived = ({ lead: { rule, index } }: Ranked, { failing }: Segments) =>
  rule.ends === true && failing !== null && failing.end - index > LONG_AFTER

function confidenceOf(log: Log, segments: Segments, best: Ranked, second: Ranked | undefined): [Confidence, string] {
  if (best.lead.rule.role !== 'root') return ['low', 'the line only repeats that something failed']
  if (best.score < LIKELY) return ['low', 'the match is weak']
  if (isSurvived(best, segments)) return ['low', 'the step went on for long after it']
  const rival = second && second.lead.rule.category !== best.lead.rule.category && best.score - second.score < 10
  if (log.truncated && !segments.failing) return ['low', 'the beginning of the log is missing']
  if (log.truncated) return ['medium', 'the beginning of the log is missing']
  if (rival) return ['medium', `${second.lead.rule.id} is nearly as likely`]
  return best.score >= SURE || best.lead.rule.score >= SPECIFIC
    ? ['high', `${best.lead.rule.id} is specific`]
    : ['medium', `${best.lead.rule.id} matched`]
}

/** A wrapper, or a weak match outside the failed step, may be less useful than the most salient lines. */
const isDoubtful = (best: Ranked, { failing }: Segments) =>
  best.lead.rule.role === 'wrapper' ||
  (failing !== null && best.score < LIKELY && (best.lead.index < failing.start || best.lead.index > failing.end))

const isOutdone = (best: Ranked, { failing }: Segments, salient: SalientLines) =>
  best.lead.rule.role !== 'wrapper' || failing !== null || salient.weight >= MEANINGFUL

const refine = ({ rule }: Hit, log: Log, segments: Segments, lines: readonly number[]): FailureCategory => {
  const named = rule.category
  if (named === 'unknown') return categoryOfUnknown(log, segments, lines)
  return named === 'compile_error' && rule.score <= AMBIGUOUS && isCheck(segments) ? 'lint_or_doc' : named
}

/** A test is identified by its name, a compiler error by its location: the reason is in the text next to it. */
const isPlaced = ({ lead: { rule, groups } }: Ranked) =>
  rule.category === 'test_failure' || (rule.category === 'compile_error' && groups.file !== undefined)

/** Inside the block of one rule another may know the exact reason. */
const saysMore = ({ rule }: Hit, { lead }: Ranked) =>
  rule !== lead.rule && rule.role === 'root' && rule.category !== 'unknown' && rule.score >= lead.rule.score

const hitAt = (ranked: readonly Ranked[], index: number, best: Ranked): Hit | undefined => {
  for (const { hits } of ranked) {
    const hit = hits.find((each) => each.index === index && saysMore(each, best))
    if (hit) return hit
  }
  return undefined
}

const COMPILED: ReadonlySet<FailureCategory> = new Set(['compile_error', 'link_error', 'shader_error'])

/** A compiler error, or the build tool's own statement that it failed: later output cannot revoke it. */
const isUndeniable = ({ lead: { rule }, score }: Ranked) =>
  rule.role === 'root' && score >= LIKELY && ((COMPILED.has(rule.category) && rule.score >= SPECIFIC) || rule.final === true)

/** Success counts unless something clearly failed after it: builds have more than one step. */
const endsWell = ({ succeededAt }: Segments, ranked: readonly Ranked[]) =>
  succeededAt !== null &&
  !ranked.some(
    (each) => isUndeniable(each) || (each.lead.index > succeededAt && each.lead.rule.role === 'root' && each.score >= LIKELY),
  )

const nothing = (because: string, failed: boolean): Verdict => ({
  category: failed ? 'unknown' : 'none',
  confidence: 'low',
  because,
  hit: null,
  lead: null,
  lines: [],
})

/** `failed`: the build is known to have failed, whatever its log says. */
export function classify(
  log: Log,
  segments: Segments,
  ranked: readonly Ranked[],
  find: () => SalientLines | null,
  failed: boolean,
): Verdict {
  const [first, second] = ranked
  const best = first && detailed(log, ranked, first)
  if (!failed && endsWell(segments, ranked)) return nothing('the log ends in success', failed)
  const doubtful = !best || best.score <= 0 || isDoubtful(best, segments)
  const salient = doubtful ? find() : null
  if (best && best.score > 0 && !(salient && isOutdone(best, segments, salient))) {
    const [confidence, because] = confidenceOf(log, segments, best, second)
    const lines = linesOf(log, best.start, best.end)
    const lead = isPlaced(best) ? best.lead.index : reasonIn(log, best.lead.index, lines)
    const hit = hitAt(ranked, lead, best) ?? best.lead
    return { category: refine(hit, log, segments, lines), confidence, because, hit, lead, lines }
  }
  if (!salient) return nothing('nothing in it looks like an error', failed)
  const lines = linesOf(log, salient.start, salient.end)
  const guess = categoryOfUnknown(log, segments, lines)
  const wrapped = best?.lead.rule.role === 'wrapper' ? best.lead.rule.category : 'unknown'
  return {
    category: guess === 'unknown' ? wrapped : guess,
    confidence: 'low',
    because: 'no rule knows it',
    hit: null,
    lead: salient.lead,
    lines,
  }
}
