import { passedLines } from '../../src/diagnosis/stages/passed.ts'
import type { LabelledLog } from './labelled-logs.ts'

const MOST = 5

/** What the job says before it fails, which it says when it passes too. */
const beforeCause = ({ raw, label }: LabelledLog) =>
  raw
    .split('\n')
    .slice(0, Math.min(...label.error_lines!) - 1)
    .join('\n')

/**
 * Labelled logs come without the passed ones of their job. In their place stand other failed logs of the project up to their
 * causes: a proxy, which knows too little (the end, and what other jobs say) and now and then too much (a cause that came twice).
 */
export function passedBefore(log: LabelledLog, logs: readonly LabelledLog[]): Set<number> | null {
  const others = logs
    .filter((each) => each !== log && each.project === log.project && each.label.error_lines?.length)
    .slice(0, MOST)
  return others.length === 0 || log.project.startsWith('set ') ? null : passedLines(...others.map(beforeCause))
}
