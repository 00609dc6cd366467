import type { TestOutcome } from '../contract/sets.ts'

/** One case of a report. A suite, class and name that occur twice are two cases. */
export interface TestCase {
  suite: string
  class: string
  name: string
  outcome: TestOutcome
  /** Null if the report doesn't say. */
  duration_ms: number | null
  /** Why it did not pass, in a line or two. */
  message: string
  /** The stack trace or body of the failure. */
  details: string
  /** The end of what it printed. */
  output: string
  file: string
  line: number | null
  /** The run ended in it, or it stands for a report that is missing. */
  crashed?: boolean
}

export interface TestReport {
  format: string
  /** What the runs of its cases have in common, if the report says. */
  platform: string
  /** Unity runs the same assemblies in EditMode and PlayMode. */
  mode: string
  rhi: string
  cases: TestCase[]
}

/** A text that is no report, or a broken one. The message names the line. */
export class UnreadableReport extends Error {}

export const isFailing = ({ outcome }: Pick<TestCase, 'outcome'>) => outcome === 'failed' || outcome === 'error'

/** The name that people search for. */
export const titleOf = ({ class: className, name }: Pick<TestCase, 'class' | 'name'>) =>
  className === '' ? name : `${className}.${name}`
