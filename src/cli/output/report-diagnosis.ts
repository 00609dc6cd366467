import { shownSuspects } from '../../contract/labels/shown-suspects.ts'
import { ACTIONS } from '../../contract/labels/who-acts.ts'
import { labelOf } from '../../contract/labels.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import { ADVICE } from '../../diagnosis/stages/advice.ts'
import { normalize } from '../../diagnosis/stages/normalize.ts'
import type { Paint } from '../../terminal/paint.ts'

const CONTEXT = 2
const MOST_LINES = 24
const WIDTH = 200

const clip = (text: string) => (text.length > WIDTH ? `${text.slice(0, WIDTH - 1)}…` : text)

/** The part of the evidence around the first line, with a little of the log before and after. */
function excerpt(finding: Finding, raw: string, paint: Paint): string[] {
  const lead = finding.evidence[0]!.line
  const numbers = finding.evidence.map((each) => each.line).sort((a, b) => a - b)
  const all = new Set(numbers)
  const lines = normalize(raw).shown
  const first = Math.max(1, numbers[0]! - CONTEXT, lead - MOST_LINES / 3)
  const last = Math.min(lines.length, numbers.at(-1)! + CONTEXT, first + MOST_LINES - 1)
  const gutter = String(last).length
  const shown: string[] = []
  let left = all.size
  for (let number = Math.ceil(first); number <= last; number++) {
    if (all.has(number)) left--
    const mark = number === lead ? paint('red', '▶') : ' '
    const text = clip(lines[number - 1] ?? '').trimEnd()
    const body = number === lead ? paint('bold', text) : all.has(number) ? text : paint('dim', text)
    shown.push(`  ${mark} ${paint('dim', `${String(number).padStart(gutter)} │`)} ${body}`.trimEnd())
  }
  if (left > 0)
    shown.push(paint('dim', `    ${' '.repeat(gutter)} … and ${left} more line${left === 1 ? '' : 's'} of the same error`))
  return shown
}

const suspectsOf = (finding: Finding, paint: Paint): string[] => {
  const { attribution } = finding
  if (!attribution) return []
  const suspects = shownSuspects(attribution.suspects)
  if (suspects.length === 0) return ['', `  ${paint('bold', 'Suspects')}`, '    No change is clearly suspect.']
  const named = attribution.attributed_author
  return [
    '',
    `  ${paint('bold', 'Suspects')}${named === null ? '' : ` (clearly ${named})`}`,
    ...suspects
      .slice(0, 3)
      .flatMap((suspect, index) => [
        `    ${index + 1}. ${suspect.change_id} by ${suspect.author}, score ${suspect.score.toFixed(2)}`,
        ...suspect.reasons.map((reason) => paint('dim', `       ${reason}`)),
      ]),
  ]
}

const stepsOf = (finding: Finding, paint: Paint): string[] => [
  '',
  `  ${paint('bold', 'How it was found')}`,
  ...finding.steps.map((step) => `    ${step.name.padEnd(10)} ${step.detail}`),
]

const whoActs = ({ category }: Finding): string[] => {
  const { who_acts, retry_may_help } = ACTIONS[category]
  if (who_acts === null) return []
  return [
    `  ${labelOf('who_acts', who_acts)} can fix this. ${retry_may_help ? 'A retry may help.' : 'A retry is unlikely to help.'}`,
  ]
}

/** A finding for people to read. */
export function reportOf(name: string, finding: Finding, raw: string, paint: Paint, verbose: boolean): string {
  const { what } = ADVICE[finding.category]
  return [
    paint('bold', name),
    '',
    `  ${paint('bold', what)} · ${finding.confidence} confidence · ${finding.category}`,
    `  ${finding.diagnosis}`,
    ...whoActs(finding),
    ...(finding.evidence.length > 0 ? ['', ...excerpt(finding, raw, paint)] : []),
    ...(finding.category === 'none' ? [] : ['', `  ${paint('bold', 'What to do')}`, `    ${finding.suggested_fix}`]),
    ...suspectsOf(finding, paint),
    ...(verbose ? stepsOf(finding, paint) : []),
    '',
  ].join('\n')
}
