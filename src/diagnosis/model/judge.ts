import type { FailureCategory } from '../../contract/sets.ts'
import type { Examination } from '../examine.ts'
import type { Verdict } from '../stages/classify.ts'
import { featuresOf } from './features.ts'
import { modelFrom, type StoredModel } from './linear.ts'
import learned from './weights.json' with { type: 'json' }

/** Judges the confidence of a verdict and, if the rules are unsure, the category. */
export type Judge = (examination: Examination) => Verdict

/** Below this the model considers another category more likely than the rule's. */
const DOUBTED = 0.5
/** Below this probability a category is a guess and is left out. */
const LIKELY = 0.3
/** A rule for one exact message was right every time, whatever the context. */
const CERTAIN = 88
/** Two findings this close, and a rule this vague: right two times out of three. */
const CLOSE = 5
const VAGUE = 78

const isClose = ({ ranked: [best, second] }: Examination) =>
  best !== undefined && second !== undefined && best.score - second.score < CLOSE && best.lead.rule.score < VAGUE

/** A rule decides what kind of failure it is, by itself or by the command around its line. */
const isDecided = ({ verdict: { hit, category } }: Examination) => hit !== null && category !== 'unknown'

/** Scripts and test commands fail for any reason. */
const VAGUE_PURPOSES: ReadonlySet<FailureCategory> = new Set(['build_script_error', 'test_failure'])

/** The purpose of the command, or what wraps the failure, as far as it says why a build fails. */
const guessOf = ({ category }: Verdict): FailureCategory => (VAGUE_PURPOSES.has(category) ? 'unknown' : category)

/** A failed step shows where the cause is even if the beginning is missing. */
const mayBeCutOff = ({ log, segments }: Examination) => log.truncated && segments.failing === null

/**
 * Rules decide; the model names the category only where no rule does, and lowers the confidence of a finding it doubts. Where it is not sure,
 * the purpose of the command decides. Of 57 logs that no rule knows, on projects left out of training: 18 right by rules and commands alone,
 * 25 by the model alone, which said `unknown` in 29, and 39 by both.
 */
export function judgeBy(stored: StoredModel): Judge {
  const model = modelFrom<FailureCategory>(stored)
  return (examination) => {
    const { log, segments, ranked, verdict } = examination
    if (verdict.category === 'none') return verdict
    const likelihoods = model.likelihoods(featuresOf(log, segments, ranked, verdict))
    const best = likelihoods.indexOf(Math.max(...likelihoods))
    const likeliest = likelihoods[best]! >= LIKELY ? model.classes[best]! : 'unknown'
    const undecided = likeliest === 'unknown' ? guessOf(verdict) : likeliest
    const category = isDecided(examination) ? verdict.category : undecided
    const doubt = `its words are those of ${likeliest}`
    if (mayBeCutOff(examination))
      return {
        ...verdict,
        category,
        confidence: 'low',
        because: 'the beginning of the log is missing, and the cause may stand there',
      }
    if (verdict.confidence === 'low') return { ...verdict, category }
    if (verdict.confidence === 'medium')
      return likeliest === verdict.category ? verdict : { ...verdict, confidence: 'low', because: doubt }
    const likely = likelihoods[model.classes.indexOf(verdict.category)] ?? 0
    if (likely < DOUBTED && (verdict.hit?.rule.score ?? 0) < CERTAIN) return { ...verdict, confidence: 'medium', because: doubt }
    return isClose(examination)
      ? { ...verdict, confidence: 'medium', because: `${ranked[1]!.lead.rule.id} is nearly as likely` }
      : verdict
  }
}

export const judge: Judge = judgeBy(learned as StoredModel)
