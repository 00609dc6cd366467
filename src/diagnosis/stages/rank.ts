import type { Log } from '../log.ts'
import type { Group } from './group.ts'
import type { Section, Segments } from './segment.ts'

export interface Ranked extends Group {
  score: number
}

/** External code: an error there is rarely the one to show first. */
export const FOREIGN = /node_modules|site-packages|dist-packages|\/vendor\/|\/usr\/(?:include|lib)\/|PackageCache/

const INCLUDED_BY = /^(?:In file included from|\s+from) (?<file>[^\s:,]{1,300})/

/** An external header that a project file includes is the project's problem: the chain above the error shows it. */
const isOurs = (log: Log, { lead, start }: Group): boolean => {
  const { file } = lead.groups
  if (!file || !FOREIGN.test(file)) return file !== undefined
  for (let i = start; i < lead.index; i++) {
    const including = INCLUDED_BY.exec(log.text[i]!)?.groups?.file
    if (including && !FOREIGN.test(including)) return true
  }
  return false
}

/** In a shorter log the position of a line has little meaning. */
const LONG = 300

/** The section of a line: they are in line order, and a log may have as many as matches. */
export const homeOf = (sections: readonly Section[], at: number): Section | undefined => {
  let [low, high] = [0, sections.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sections[middle]!.end < at) low = middle + 1
    else high = middle
  }
  const section = sections[low]
  return section && at >= section.start && at <= section.end ? section : undefined
}

/** Without a failed step, later is more likely; but the first of a kind decides for those after it. */
const place = (group: Group, log: Log, segments: Segments, first: number): number => {
  const at = group.lead.index
  const { failing, sections } = segments
  if (!failing) return (15 * first) / Math.max(LONG, log.text.length)
  if (at >= failing.start && at <= failing.end) return 30
  const home = homeOf(sections, at)
  if (home?.ended === 'failed') return 15
  return home?.ended === 'passed' ? -25 : at < failing.start ? -15 : 0
}

function scoreOf(group: Group, log: Log, segments: Segments, first: number): number {
  const { rule } = group.lead
  let score = rule.score + place(group, log, segments, first)
  if (rule.role === 'wrapper') score -= 40
  if (rule.role === 'followup') score -= 20
  if (log.marked[group.lead.index]) score += 5
  if (isOurs(log, group)) score += 5
  return score
}

/** Best first; the earlier of equals, because tools print the cause before its consequences. */
export function rank(log: Log, segments: Segments, groups: readonly Group[]): Ranked[] {
  const first = new Map<string, number>()
  for (const { lead } of groups) if (!first.has(lead.rule.id)) first.set(lead.rule.id, lead.index)
  const explained = new Map<string, number>()
  for (const { lead } of groups) for (const id of lead.rule.explains ?? []) if (!explained.has(id)) explained.set(id, lead.index)
  const isExplained = ({ lead }: Group) => (explained.get(lead.rule.id) ?? Number.POSITIVE_INFINITY) < lead.index
  return groups
    .filter((group) => !isExplained(group))
    .map((group): Ranked => {
      const { lead, hits, start, end } = group
      return { lead, hits, start, end, score: scoreOf(group, log, segments, first.get(lead.rule.id)!) }
    })
    .sort((a, b) => b.score - a.score || a.lead.index - b.lead.index)
}
