import { ACTIONS } from '../../src/contract/labels/who-acts.ts'
import type { FailureCategory } from '../../src/contract/sets.ts'
import type { Finding } from '../../src/diagnosis/finding.ts'
import type { Label } from './labeled-logs.ts'

/** How well logs were read: sums, shown as shares. */
export interface Tally {
  logs: number
  first: number
  near: number
  overlap: number
  whole: number
  files: number
  file: number
  kinds: number
  kind: number
  /** How often the right people are asked to act. */
  acts: number
  clean: number
  alarms: number
  /** By confidence: the number, and how many of those are correct. */
  high: [number, number]
  medium: [number, number]
  low: [number, number]
}

export const zero = (): Tally => ({
  logs: 0,
  first: 0,
  near: 0,
  overlap: 0,
  whole: 0,
  files: 0,
  file: 0,
  kinds: 0,
  kind: 0,
  acts: 0,
  clean: 0,
  alarms: 0,
  high: [0, 0],
  medium: [0, 0],
  low: [0, 0],
})

const NEAR = 5
const actsOn = (category: FailureCategory) => ACTIONS[category].who_acts
const base = (path: string) => path.split(/[\\/]/).at(-1)!.toLowerCase()
export const percent = (part: number, all: number) => (all ? `${((100 * part) / all).toFixed(1)} %` : '–').padStart(8)

/** `at` maps a line of the label to the log that was read. */
export function count(tally: Tally, label: Label, found: Finding, at: (line: number) => number = (line) => line): void {
  if (label.category === 'none') {
    tally.clean++
    if (found.confidence !== 'low') tally.alarms++
    return
  }
  if (label.category && label.category !== 'unknown') {
    tally.kinds++
    if (found.category === label.category) tally.kind++
    if (actsOn(found.category) === actsOn(label.category as FailureCategory)) tally.acts++
  }
  const want = new Set((label.error_lines ?? []).map(at))
  if (want.size === 0) return
  const got = new Set(found.evidence.map((each) => each.line))
  const lead = found.evidence[0]?.line ?? Number.NEGATIVE_INFINITY
  const both = [...got].filter((line) => want.has(line)).length
  const right = want.has(lead)
  tally.logs++
  if (right) tally.first++
  if ([...want].some((line) => Math.abs(line - lead) <= NEAR)) tally.near++
  tally.overlap += (2 * both) / (got.size + want.size)
  if (both === want.size) tally.whole++
  tally[found.confidence][0]++
  if (right) tally[found.confidence][1]++
  if (label.file_path) {
    tally.files++
    if (found.file_path && base(found.file_path) === base(label.file_path)) tally.file++
  }
}

const DRAWS = 1000

/** The 95% interval of the share when projects are resampled: logs of one project are correct or wrong together. */
export function interval(parts: ReadonlyMap<string, readonly [right: number, all: number]>): string {
  const projects = [...parts.values()]
  let state = 1
  const next = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    // The low bits of such a generator repeat soon.
    return projects[(state >>> 12) % projects.length]!
  }
  const shares = Array.from({ length: DRAWS }, () => {
    const drawn = projects.map(next)
    return drawn.reduce((sum, [right]) => sum + right, 0) / drawn.reduce((sum, [, all]) => sum + all, 0)
  }).sort((a, b) => a - b)
  return [0.025, 0.975].map((at) => (100 * shares[Math.floor(at * DRAWS)]!).toFixed(0)).join('–')
}

export const HEADING = `${'set'.padEnd(20)} logs    first     near  overlap    whole     file     kind     acts  alarms`

export function rowOf(name: string, tally: Tally): string {
  const { logs } = tally
  const parts = [tally.first, tally.near, tally.overlap, tally.whole].map((part) => percent(part, logs))
  const rest = [percent(tally.file, tally.files), percent(tally.kind, tally.kinds), percent(tally.acts, tally.kinds)]
  return [
    name.padEnd(20),
    String(logs).padStart(4),
    ...parts,
    ...rest,
    tally.clean ? ` ${tally.alarms}/${tally.clean}` : '',
  ].join(' ')
}

export const sureness = (tally: Tally): string =>
  `right by how sure it was: ${(['high', 'medium', 'low'] as const)
    .map((name) => `${name} ${percent(tally[name][1], tally[name][0]).trim()} of ${tally[name][0]}`)
    .join(', ')}`
