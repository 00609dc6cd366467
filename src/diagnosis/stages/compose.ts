import type { FailureCategory } from '../../contract/sets.ts'
import type { Clues, Finding } from '../finding.ts'
import { type Log, linesAt, linesFrom } from '../log.ts'
import { ADVICE } from './advice.ts'
import { causeOf } from './cause.ts'
import type { Verdict } from './classify.ts'
import { missingIn } from './missing.ts'
import { FOREIGN, type Ranked } from './rank.ts'
import { REASON } from './reason.ts'
import { inWorkspace } from './workspace.ts'

const TEXT_MAX = 4000
const MESSAGE_MAX = 300
const REASON_WITHIN = 12

const clip = (text: string, max: number) => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

/** The rule's advice with its placeholders filled, or null if the log lacks a value. */
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

/** pytest marks the error, far below the code that it prints first. */
const MARKED = /^E {2,}\S/
const MARKED_WITHIN = 80

/** The reason of a failed test is below its name, or above it if the runner prints output first. */
const reasonOf = (log: Log, { category, lead, lines, hit }: Verdict): string => {
  if (category !== 'test_failure' || lead === null) return ''
  // The next match is the next test.
  const isOther = (text: string) => hit?.index === lead && hit.rule.match.test(text)
  const below = (within: number, pattern: RegExp) =>
    lines.find((each) => each > lead && each <= lead + within && pattern.test(log.text[each]!))
  const above = () => lines.find((each) => each < lead && REASON.test(log.text[each]!))
  const index = below(MARKED_WITHIN, MARKED) ?? below(REASON_WITHIN, REASON) ?? above()
  return index === undefined || isOther(log.text[index]!) ? '' : log.text[index]!.trim()
}

/** Several words that start like a sentence: after a colon or a location, not in the middle of one. */
const isSentence = (message: string, line: string) =>
  /^["'`‘“«]?\p{L}.* /u.test(message) && /(?:^|[:\])>]|\d)\s*$/.test(line.slice(0, Math.max(0, line.indexOf(message))))

/** MSBuild appends the project to each message. */
const BUILT = / \[[^[\]]{1,300}\.\w{2,12}proj\]$/

/** The rule's captured message if it is a sentence, otherwise the whole line. */
const messageOf = ({ hit, lead }: Verdict, { message }: Clues) => {
  const captured = hit?.groups.msg?.trim()
  const said = captured && hit?.index === lead && isSentence(captured, message) ? captured : message
  return said.replace(BUILT, '')
}

function words(log: Log, verdict: Verdict, clues: Clues, file: string | null, line: number | null): string {
  const { what } = ADVICE[verdict.category]
  if (verdict.category === 'none') return `${what}.`
  if (verdict.lead === null) return `Not certain, ${verdict.because}, though the build was reported as failed.`
  const message = clip(messageOf(verdict, clues), MESSAGE_MAX)
  const tool = clues.tool ? ` (${clues.tool})` : ''
  if (verdict.confidence === 'low') return `Not certain, ${verdict.because}. Look first at: ${message}`
  const test = verdict.hit?.groups.test?.trim()
  const reason = reasonOf(log, verdict)
  return `${what}${tool}${whereOf(file, line)}: ${test && !message.includes(test) ? `${test}: ` : ''}${message}${reason && ` (${clip(reason, MESSAGE_MAX / 2)})`}`
}

/** The rule's advice, otherwise the category's, if the cause is clear; a missing file or tool comes first. */
function adviceOf(log: Log, verdict: Verdict, { message }: Clues, file: string | null, line: number | null): string {
  const values = { ...verdict.hit?.groups, file: file ?? undefined, line: line === null ? undefined : String(line) }
  const general = verdict.confidence === 'low' && verdict.category !== 'none' ? 'unknown' : verdict.category
  const fix = fill(verdict.hit?.rule.fix ?? '', values) || ADVICE[general].fix
  const missing = missingIn(message) ?? missingIn(reasonOf(log, verdict))
  return missing === null ? fix : `${missing} is missing. ${fix}`
}

/** Failures with a location in source files; a full disk has none, whatever file it hit. */
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

/** The verdict as text and in the API's shape. */
export function compose(log: Log, verdict: Verdict, clues: Clues, ranked: readonly Ranked[]): Omit<Finding, 'clues' | 'steps'> {
  const first = clues.files.find(({ path, role }) => role === 'primary' || !FOREIGN.test(path))
  const placed = first && first.role !== 'include' && first.role !== 'nearby' && IN_FILES.has(verdict.category)
  const primary = first?.role === 'primary' || placed ? first : null
  const file = primary ? inWorkspace(primary.path) : null
  const line = primary?.line ?? null
  const order = verdict.lead === null ? [] : [verdict.lead, ...verdict.lines.filter((index) => index !== verdict.lead)]
  return {
    category: verdict.category,
    confidence: verdict.confidence,
    diagnosis: words(log, verdict, clues, file, line),
    suggested_fix: adviceOf(log, verdict, clues, file, line),
    evidence: order
      .flatMap((index) => (index === verdict.lead ? linesFrom(log, index, verdict.hit?.groups.msg) : linesAt(log, index)))
      .map((line) => ({ line, text: clip(log.shown[line - 1]!, TEXT_MAX) })),
    file_path: file,
    line: file ? line : null,
    ...causeOf(log, verdict, clues, primary, ranked),
  }
}
