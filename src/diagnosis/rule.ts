import type { FailureCategory, RULE_ROLES } from '../contract/sets.ts'

/** What a rule asks of a line: our own are regular expressions, a studio's are compiled by `linear-pattern.ts`. */
export interface Pattern {
  readonly source: string
  test(line: string): boolean
  exec(line: string): { groups?: Record<string, string | undefined> } | null
}

/** How far the lines of one error reach from the line that matched. Patterns are tried on normalised lines. */
export interface Block {
  /** Lines directly above that belong to it. */
  back?: Pattern
  /** Lines below that belong to it, for as long as they match. */
  more?: Pattern
  /** Everything below up to this line; the line itself stays out. */
  until?: Pattern
  /** Everything below up to and including this line. */
  through?: Pattern
  /** How many blank lines in a row may stand inside; more end the block. Default 0, with `until` and `through` 2. */
  blanks?: number
  /** At most so many lines below. Default 12, with `until` and `through` 60. */
  max?: number
}

export interface Example {
  /** In the tool's own format, lines joined by `\n`. */
  log: string
  /** The line that says why, counted from 1. */
  line: number
  file?: string
}

export interface Rule {
  id: string
  /** As people call it. */
  tool: string
  category: FailureCategory
  /**
   * `root` says why; `wrapper` only repeats that something failed; `followup` is what other errors drag along;
   * `noise` looks like an error and is none: nothing else may match its line.
   */
  role: (typeof RULE_ROLES)[number]
  /** The pattern runs only on lines that hold one of these. */
  need: readonly string[]
  /** Groups `file`, `line`, `code`, `test` and `msg` are understood. */
  match: Pattern
  /** The line only announces: what it is about starts at the next line that shows something. */
  header?: true
  /** The last line of the block says why, not the one that matched: a traceback ends with its exception. */
  lead?: 'last'
  /** The tool's own last word that the build failed: a program that ends well afterwards does not take it back. */
  final?: true
  /** Ids of rules whose later matches follow from this one. */
  explains?: readonly string[]
  /** How sure a match is the cause, 0 to 100. */
  score: number
  block?: Block
  /** Blocks of the same tool this many lines apart (blank ones not counted) are one finding. Default 0. */
  near?: number
  /** What to do about it; `{file}`, `{line}`, `{code}`, `{test}` and `{msg}` are filled in. */
  fix?: string
  examples: readonly Example[]
}
