import { LOG_MAX } from '../contract/limits.ts'

/** A log after normalising: arrays run in parallel, index 0 is line 1. */
export interface Log {
  /** What a person would see: colours, carriage returns and control characters resolved. */
  shown: string[]
  /** `shown` without the prefixes that carriers add (time stamps, build nodes, loggers), at most `LINE_CAP` characters. */
  text: string[]
  /** The line was marked as an error by the build service itself. */
  marked: boolean[]
  /** The beginning is missing. */
  truncated: boolean
}

/** Patterns never see more of a line than this. */
export const LINE_CAP = 2000

/** The service keeps the last this many characters of a log. */
export const LOG_CAP = LOG_MAX

export const isBlank = (log: Log, index: number) => (log.text[index] ?? '').trim() === ''

/** Evidence skips lines that show nothing; a line that held only a carrier's prefix still shows something. */
export const isShown = (log: Log, index: number) => (log.shown[index] ?? '').trim() !== ''
