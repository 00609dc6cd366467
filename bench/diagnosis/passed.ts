import { passedLines } from '../../src/diagnosis/stages/passed.ts'
import type { LabelledLog } from './labeled-logs.ts'

const MOST = 5

/** What the job prints before it fails, which it also prints when it passes. */
const beforeCause = ({ raw, label }: LabelledLog) =>
  raw
    .split('\n')
    .slice(0, Math.min(...label.error_lines!) - 1)
    .join('\n')

/**
 * Labeled logs have no passed logs of their job. Other failed logs of the project up to their causes replace them: a proxy that knows too
 * little (the end, and what other jobs print) and occasionally too much (a cause that occurred twice).
 */
export function passedBefore(log: LabelledLog, logs: readonly LabelledLog[]): Set<number> | null {
  const others = logs
    .filter((each) => each !== log && each.project === log.project && each.label.error_lines?.length)
    .slice(0, MOST)
  return others.length === 0 || log.project.startsWith('set ') ? null : passedLines(...others.map(beforeCause))
}
