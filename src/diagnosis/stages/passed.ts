import { isBlank, type Log } from '../log.ts'
import type { Group } from './group.ts'
import { lineHash } from './masks.ts'
import { normalize } from './normalize.ts'

/** The stored lines of passed logs of the same job: the hash of each distinct line, without what changes from run to run. */
export type PassedLines = ReadonlySet<number>

export function passedLines(...logs: readonly string[]): Set<number> {
  const hashes = new Set<number>()
  for (const raw of logs) {
    const log = normalize(raw)
    for (let i = 0; i < log.text.length; i++) if (!isBlank(log, i)) hashes.add(lineHash(log.text[i]!))
  }
  return hashes
}

/** Without familiar lines: led by the first new match, otherwise by the first new line below, or null if nothing is new. */
function withoutFamiliar(log: Log, group: Group, isFamiliar: (index: number) => boolean): Group | null {
  if (!isFamiliar(group.lead.index)) return group
  const hit = group.hits.find(({ index }) => !isFamiliar(index))
  if (hit) return { ...group, lead: hit, start: Math.max(group.start, Math.min(hit.index, group.lead.index + 1)) }
  let index = group.lead.index
  while (index <= group.end && (isBlank(log, index) || isFamiliar(index))) index++
  return index > group.end ? null : { ...group, lead: { ...group.lead, index } }
}

export function unfamiliar(log: Log, groups: readonly Group[], isFamiliar: (index: number) => boolean): Group[] {
  const found: Group[] = []
  for (const each of groups) {
    const group = withoutFamiliar(log, each, isFamiliar)
    if (group) found.push(group)
  }
  return found
}

/** Which entries a passed log has too: they are not the cause. */
export function familiarIn(log: Log, passed: PassedLines | undefined): (index: number) => boolean {
  if (!passed || passed.size === 0) return () => false
  const known = new Map<number, boolean>()
  return (index) => {
    const before = known.get(index)
    if (before !== undefined) return before
    const familiar = passed.has(lineHash(log.text[index]!))
    known.set(index, familiar)
    return familiar
  }
}
