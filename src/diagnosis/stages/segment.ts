import { COMMAND, commandEnd } from '../../contract/log-parts.ts'
import type { Log } from '../log.ts'

/** A command or step of the build service, and its result as far as the log shows it. Bounds are inclusive indexes. */
export interface Section {
  start: number
  end: number
  command: string
  /** The build service's name for it where it reports the end. */
  reported: string
  ended: 'failed' | 'passed' | 'unknown'
}

export interface Segments {
  sections: Section[]
  /** The first failed step, otherwise the one that never finished. */
  failing: Section | null
  /** Index of the line in which the log reports success. */
  succeededAt: number | null
}

const SUCCESS =
  /^(?:Exiting batchmode successfully now!|.*\breturn code 0\b|BUILD SUCCESSFUL\b|\*\* BUILD SUCCEEDED \*\*|\[INFO\] BUILD SUCCESS\b|Build succeeded\.|Done\. Your build exited with 0|AutomationTool exiting with ExitCode=0\b|Finished: SUCCESS|Job succeeded|Build completed with a result of 'Succeeded')/
const TAIL = 150

/** A passed branch says nothing about the others. */
const successIn = (log: Log): number | null => {
  const end = log.branches[0] ?? log.text.length
  for (let i = end - 1; i >= Math.max(0, end - TAIL); i--) if (SUCCESS.test(log.text[i]!)) return i
  return null
}

/** No line that starts a command is shorter. */
const SHORTEST_COMMAND = 3

export function segment(log: Log): Segments {
  const sections: Section[] = []
  let open: Section = { start: 0, end: 0, command: '', reported: '', ended: 'unknown' }
  const close = (end: number, ended: Section['ended'], reported = '') => {
    if (end >= open.start) {
      open.end = end
      open.ended = ended
      open.reported = reported
      sections.push(open)
    }
    open = { start: end + 1, end: end + 1, command: '', reported: '', ended: 'unknown' }
  }
  for (let i = 0; i < log.text.length; i++) {
    const text = log.text[i]!
    if (log.branches.includes(i)) close(i - 1, 'unknown')
    const ended = commandEnd(text)
    if (ended) {
      close(i, ended.code === 0 ? 'passed' : 'failed', ended.reported)
      continue
    }
    const command = text.length < SHORTEST_COMMAND ? undefined : COMMAND.exec(text)?.[1]
    if (command !== undefined) {
      close(i - 1, 'unknown')
      open.start = i
      open.command = command
    }
  }
  close(log.text.length - 1, 'unknown')
  // For parallel branches only their own output shows which one failed.
  const [firstBranch = 0] = log.branches
  const failing = sections.find((section) => section.ended === 'failed' && section.start >= firstBranch) ?? null
  return { sections, failing, succeededAt: failing === null ? successIn(log) : null }
}
