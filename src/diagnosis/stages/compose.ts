import type { FailureCategory } from '../../contract/sets.ts'
import type { Clues, Finding } from '../finding.ts'
import { type Log, linesAt, linesFrom } from '../log.ts'
import { ADVICE } from './advice.ts'
import type { Verdict } from './classify.ts'
import { shortHash, signatureOf, withoutRoot } from './masks.ts'

const TEXT_MAX = 4000
const MESSAGE_MAX = 300
const REASON_WITHIN = 12

const clip = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

/** The rule's advice with its gaps filled, or null when the log does not say what belongs into one. */
function fill(template: string, values: Readonly<Record<string, string | undefined>>): string | null {
  let complete = true
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]?.trim()
    if (!value) complete = false
    return value ?? ''
  })
  return complete ? text : null
}

const whereOf = (file: string | null, line: number | null) => (file ? ` in ${file}${line ? `:${line}` : ''}` : '')

const REASON = /\b(?:\w*(?:Error|Exception|Failure)\b|assert\w*|[Ee]xpected|[Ff]ailed asserting|panicked|did not|should)/

/** What a test complains about stands below its name. */
const reasonOf = (log: Log, verdict: Verdict): string => {
  if (verdict.category !== 'test_failure' || verdict.lead === null) return ''
  const lead = verdict.lead
  const index = verdict.lines.find((each) => each > lead && each <= lead + REASON_WITHIN && REASON.test(log.text[each]!))
  return index === undefined ? '' : ` (${clip(log.text[index]!.trim(), MESSAGE_MAX / 2)})`
}

/** Several words that begin where a sentence can: behind a colon or a place, not in the middle of one. */
const isSentence = (message: string, line: string) =>
  /^["'`‘“«]?\p{L}.* /u.test(message) && /(?:^|[:\])>]|\d)\s*$/.test(line.slice(0, Math.max(0, line.indexOf(message))))

/** What the rule captured where that is a sentence of its own, else the whole line. */
const messageOf = ({ hit, lead }: Verdict, { message }: Clues) => {
  const captured = hit?.groups.msg?.trim()
  return captured && hit?.index === lead && isSentence(captured, message) ? captured : message
}

function words(log: Log, verdict: Verdict, clues: Clues, file: string | null, line: number | null): string {
  const { what } = ADVICE[verdict.category]
  if (verdict.category === 'none') return `${what}.`
  if (verdict.lead === null) return `Not certain, ${verdict.because}, though the build was reported as failed.`
  const message = clip(messageOf(verdict, clues), MESSAGE_MAX)
  const tool = clues.tool ? ` (${clues.tool})` : ''
  if (verdict.confidence === 'low') return `Not certain, ${verdict.because}. Look first at: ${message}`
  const test = verdict.hit?.groups.test?.trim()
  return `${what}${tool}${whereOf(file, line)}: ${test && !message.includes(test) ? `${test}: ` : ''}${message}${reasonOf(log, verdict)}`
}

/** Failures that have a place in somebody's files; a full disk has none, whatever file it happened to hit. */
const IN_FILES: ReadonlySet<FailureCategory> = new Set([
  'compile_error',
  'link_error',
  'shader_error',
  'cook_asset_error',
  'missing_module_plugin',
  'test_failure',
  'lint_or_doc',
  'build_script_error',
  'build_system',
  'crash',
  'unknown',
])

/** The verdict in words and wire shape. */
export function compose(log: Log, verdict: Verdict, clues: Clues): Omit<Finding, 'clues' | 'steps'> {
  const [first] = clues.files
  const placed = first && first.role !== 'include' && first.role !== 'nearby' && IN_FILES.has(verdict.category)
  const primary = first?.role === 'primary' || placed ? first : null
  const file = primary?.path ?? null
  const line = primary?.line ?? null
  const order = verdict.lead === null ? [] : [verdict.lead, ...verdict.lines.filter((index) => index !== verdict.lead)]
  const values = { ...verdict.hit?.groups, file: file ?? undefined, line: line === null ? undefined : String(line) }
  const fix = fill(verdict.hit?.rule.fix ?? '', values)
  return {
    category: verdict.category,
    confidence: verdict.confidence,
    diagnosis: words(log, verdict, clues, file, line),
    suggested_fix: fix || ADVICE[verdict.category].fix,
    evidence: order
      .flatMap((index) => (index === verdict.lead ? linesFrom(log, index, verdict.hit?.groups.msg) : linesAt(log, index)))
      .map((line) => ({ line, text: clip(log.shown[line - 1]!, TEXT_MAX) })),
    file_path: file,
    line: file ? line : null,
    fingerprint: shortHash([verdict.category, clues.rule, signatureOf(clues.message), withoutRoot(file ?? '')].join('\n')),
  }
}
