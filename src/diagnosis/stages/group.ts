import { RULE_ROLES } from '../../contract/sets.ts'
import { isBlank, type Log } from '../log.ts'
import { extents, SEPARATOR } from './block.ts'
import type { Hit } from './match.ts'

/** One finding: neighboring matches of one tool. `start` and `end` are inclusive indexes. */
export interface Group {
  /** The main match of the group. */
  lead: Hit
  hits: Hit[]
  start: number
  end: number
}

/** The number of visible lines between two indexes. */
const distance = (log: Log, from: number, to: number, enough: number) => {
  let lines = 0
  for (let i = from + 1; i < to && lines <= enough; i++) if (!isBlank(log, i)) lines++
  return lines
}

const better = (a: Hit, b: Hit) => (b.rule.score > a.rule.score ? b : a)

const ANNOUNCED_WITHIN = 8

/** A header is replaced with the first line after it, unless that is on the header's own line. */
const landing = (log: Log, hit: Hit): Hit | null => {
  if (!hit.rule.header || hit.groups.msg) return hit
  for (let i = hit.index + 1; i <= hit.index + ANNOUNCED_WITHIN && i < log.text.length; i++)
    if (!isBlank(log, i) && !SEPARATOR.test(log.text[i]!)) return { ...hit, index: i }
  return null
}

/** Hits are in line order, so only the last group of a tool can still grow. */
export function group(log: Log, hits: readonly Hit[]): Group[] {
  const groups: Group[] = []
  /** By role, then by tool. */
  const lasts = new Map(RULE_ROLES.map((role) => [role, new Map<string, Group>()]))
  const extent = extents(log)
  for (const found of hits) {
    const landed = landing(log, found)
    if (!landed) continue
    const [start, end] = extent(landed.index, landed.rule.block)
    const hit = landed.rule.lead === 'last' ? { ...landed, index: end } : landed
    const last = lasts.get(hit.rule.role)!
    const open = last.get(hit.rule.tool)
    const near = hit.rule.near ?? 0
    if (open && (start <= open.end || distance(log, open.end, start, near) <= near)) {
      open.lead = better(open.lead, hit)
      open.hits.push(hit)
      open.start = Math.min(open.start, start)
      open.end = Math.max(open.end, end)
    } else {
      const opened = { lead: hit, hits: [hit], start, end }
      last.set(hit.rule.tool, opened)
      groups.push(opened)
    }
  }
  return groups
}
