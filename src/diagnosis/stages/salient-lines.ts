import { isBlank, type Log } from '../log.ts'
import { EDGE } from './edge.ts'
import type { Segments } from './segment.ts'

/** Words and shapes that make a line of an unknown tool worth reading. They add up. Words in paths and names with dashes do not count. */
const SIGNS: readonly [RegExp, number][] = [
  [/^\W{0,4}(?:(?:fatal|error|erreur|fehler|panic|abort(?:ed|ing)?)\b|ошибка|错误|오류|エラー)/i, 6],
  [/(?<![/\\-])\b\w*(?:Error|Exception)(?![\w/\\-]|\.\w)/, 4],
  [/(?<![\w./\\-])(?:error|failed|failure|fatal|panic)(?![\w/\\-]|\.\w)/i, 3],
  [
    /(?<![\w./\\-])(?:cannot|could not|couldn't|can't|unable to|not found|no such|missing|invalid|illegal|denied|refused|unexpected|undefined|undeclared|unresolved|ambiguous|unknown|mismatch|expected|must|should|forbidden|violation|incorrect|unrecognized|not installed)(?![\w/\\-]|\.\w)/i,
    3,
  ],
  [/^\s*[✗✘✖×❌⨯]/, 5],
  [/[\w./\\-]\.\w{1,10}[:(]\d/, 3],
  [/\bline \d+/, 2],
  [/\b(?:warning|warn|deprecat|notice|info|debug|skipping|ignored)\b/i, -3],
  [/\b(?:0 (?:errors?|failures?|failed)|no errors?|success\w*|passed|ok)\b/i, -4],
  [/\bexit(?:ed|ing)? (?:with )?(?:code|status)|exited with|^npm ERR!|^make.*\*\*\*|recipe for target/i, -3],
  [/^\W{0,6}PASS(?:ED)?\b|\bPASS(?:ED)?$/, -6],
  [/^(?:\+|\$) |^travis_|https?:\/\/\S+$/, -2],
]

const REGION = 400
const WHOLE = 14
const RIGHT_ABOVE = 60

export interface SalientLines {
  lead: number
  start: number
  end: number
  weight: number
}

/** The important part of a line is at its beginning. */
const READ = 400

/** How much a line looks like the cause of a failure, whatever its tool. */
export const weigh = (line: string) => {
  const text = line.slice(0, READ)
  return SIGNS.reduce((sum, [sign, weight]) => (sign.test(text) ? sum + weight : sum), 0)
}

/** A heading of usage text, and what can be below it. */
const USAGE = /^\s*(?:usage|synopsis|(?:\w+ )?(?:options|commands|flags|arguments))\s*:/i
const HELP = 6

/** Whether a line is usage text: a tool that was called wrongly prints it after the reason. Lines come in order. */
function usage(): (text: string) => boolean {
  let inside = false
  return (text) => {
    if (USAGE.test(text)) inside = true
    else if (/^\S/.test(text)) inside = false
    return inside
  }
}

const isContent = (log: Log, index: number) => !isBlank(log, index) && !EDGE.test(log.text[index]!)

/** Where to search: the failed step, or the lines right above the one that reports a failure. */
const regionOf = (log: Log, segments: Segments, before: number | null) => {
  const { failing } = segments
  const whole = { start: failing?.start ?? 0, end: failing?.end ?? log.text.length - 1 }
  if (before === null || before <= whole.start || before > whole.end) return whole
  return { start: failing ? whole.start : Math.max(whole.start, before - RIGHT_ABOVE), end: before - 1 }
}

const opening = (text: string) => text.trim().slice(0, 24)

/** Tools repeat themselves: lines that start alike belong together. */
const isAlike = (log: Log, a: number, b: number) =>
  opening(log.text[a]!).length >= 12 && opening(log.text[a]!) === opening(log.text[b]!)

const isFrame = (log: Log, index: number) => /^\s+(?:at |from |File "|#\d+ )|^\s+\S+:\d+:in /.test(log.text[index]!)

/** The most salient lines of a failure without a rule; null for a log that shows nothing. */
export function salientLines(
  log: Log,
  segments: Segments,
  before: number | null,
  isFamiliar: (index: number) => boolean,
): SalientLines | null {
  const region = regionOf(log, segments, before)
  let end = region.end
  while (end > region.start && !isContent(log, end)) end--
  let start = Math.max(region.start, end - REGION)
  while (start < end && !isContent(log, start)) start++
  if (end < start || !isContent(log, end)) return null
  let lead = end
  let best = -1
  let content = 0
  const isUsage = usage()
  for (let i = start; i <= end; i++) {
    if (!isContent(log, i)) continue
    content++
    const isHelp = isUsage(log.text[i]!)
    if (isFamiliar(i)) continue
    const weight = weigh(log.text[i]!) + (3 * (i - start)) / (end - start + 1) - (isHelp ? HELP : 0)
    if (weight > best) {
      best = weight
      lead = i
    }
  }
  if (segments.failing && content <= WHOLE) return { lead, start, end, weight: best }
  let from = lead
  let to = lead
  while (from > start && isContent(log, from - 1) && (lead - from < 3 || isAlike(log, lead, from - 1))) from--
  while (to < end && isContent(log, to + 1) && (to - lead < 8 || isAlike(log, lead, to + 1) || isFrame(log, to + 1))) to++
  return { lead, start: from, end: to, weight: best }
}
