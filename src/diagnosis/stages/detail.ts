import { branchAround, isBlank, type Log } from '../log.ts'
import { EDGE } from './edge.ts'
import type { Hit } from './match.ts'
import type { Ranked } from './rank.ts'
import { REASON } from './reason.ts'

/** How summaries name a test: `Class.method:12`, `method(Class)`, `3 - name (Failed)`, `[tests/name.phpt]`. */
const NAMED: readonly RegExp[] = [
  /^(?:\[ERROR\])?\s*(?:(?:Failed tests|Tests in error):\s*)?(?:Run \d+: )?(?:[\w$]+\.)*(?<type>[A-Z][\w$]*)(?:>[\w$.]+)?\.(?<name>[a-z_$][\w$]*)(?:\[[^\]]{0,200}\])?(?=:\d|->|\s|$)/,
  /^(?:\[ERROR\])?\s*(?:(?:Failed tests|Tests in error):\s*)?(?<name>[a-z_$][\w$]*)(?:\[[^\]]{0,200}\])?\((?:[\w$]+\.)*(?<type>[A-Z][\w$]*)\)/,
  /^\s*\d+ - (?<name>\S{3,200}) \((?:Failed|SEGFAULT|Timeout|Not Run|.{0,20}[Ee]xception)/,
  /\[(?<name>[\w./-]{3,200}\.phpt)\]/,
]

/** What a runner prints on the line of a failed test. */
const FAILED = /\bFAIL(?:ED|URE)?\b|<<< (?:FAILURE|ERROR)!|\*\*\*(?:Failed|Exception|Timeout)|\bnot ok\b|^\s*[✗✘✖×❌]/
const WITHIN = 8
const BLOCK_MAX = 40

const words = ({ type, name }: Record<string, string | undefined>) => [name, type].filter((word) => word !== undefined)

const namesOf = (text: string): string[] => {
  for (const pattern of NAMED) {
    const groups = pattern.exec(text)?.groups
    if (groups) return words(groups)
  }
  return []
}

const WORD = /[\w$]/

/** Whether the text has a word, not only as a part of another one. */
const has = (text: string, word: string) => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!WORD.test(text[at - 1] ?? ' ') && !WORD.test(text[at + word.length] ?? ' ')) return true
  return false
}

/** Whether the reason is below the line, before the next failed test. */
const isExplained = (log: Log, index: number) => {
  for (let i = index + 1; i <= index + WITHIN && i < log.text.length; i++) {
    const text = log.text[i]!
    if (FAILED.test(text) || EDGE.test(text)) return false
    if (REASON.test(text)) return true
  }
  return false
}

const endOf = (log: Log, index: number) => {
  let end = index
  while (end < log.text.length - 1 && end - index < BLOCK_MAX && !isBlank(log, end + 1) && !EDGE.test(log.text[end + 1]!)) end++
  return end
}

/** The innermost subtest with a reason: its parents only repeat that it failed. */
function subtestOf(log: Log, { lead, hits }: Ranked): Hit | undefined {
  const { test } = lead.groups
  if (!test || isExplained(log, lead.index)) return undefined
  return hits.find((each) => each.groups.test?.startsWith(`${test}/`) && isExplained(log, each.index))
}

/** Where the test of a summary failed: the first line above with its name, a mark of failure, and the reason below it. */
function placeOf(log: Log, summary: number): number | undefined {
  const names = namesOf(log.text[summary]!)
  const [first] = branchAround(log, summary)
  if (names.length === 0) return undefined
  for (let i = first; i < summary; i++) {
    const text = log.text[i]!
    if (names.every((name) => has(text, name)) && FAILED.test(text) && isExplained(log, i)) return i
  }
  return undefined
}

/** A summary of tests replaced with the place where its first test failed, if the log shows the reason there. */
export function detailed(log: Log, ranked: readonly Ranked[], best: Ranked): Ranked {
  if (best.lead.rule.category !== 'test_failure') return best
  const subtest = subtestOf(log, best)
  if (subtest) return { ...best, lead: subtest }
  const index = placeOf(log, best.lead.index)
  if (index === undefined) return best
  for (const each of ranked) {
    const lead = each.hits.find((hit) => hit.index === index && hit.rule.category === 'test_failure')
    if (lead) return { ...each, lead, score: best.score }
  }
  return { ...best, lead: { ...best.lead, index }, start: index, end: endOf(log, index) }
}
