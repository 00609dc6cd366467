import type { FailureCategory, RULE_ROLES } from '../contract/sets.ts'

/** The pattern of a rule: built-in ones are regular expressions, a studio's are compiled by `linear-pattern.ts`. */
export interface Pattern {
  readonly source: string
  test(line: string): boolean
  exec(line: string): { groups?: Record<string, string | undefined> } | null
}

/** How far an error extends from the matching line. Patterns are tested on normalized lines. */
export interface Block {
  /** Lines directly above that belong to it. */
  back?: Pattern
  /** Lines below that belong to it, for as long as they match. */
  more?: Pattern
  /** Everything below up to this line, exclusive. */
  until?: Pattern
  /** Everything below up to this line, inclusive. */
  through?: Pattern
  /** How many blank lines in a row are allowed inside; more end the block. Default 0, with `until` and `through` 2. */
  blanks?: number
  /** At most this many lines below. Default 12, with `until` and `through` 60. */
  max?: number
}

export interface Example {
  /** In the tool's own format, lines joined by `\n`. */
  log: string
  /** The line of the cause, counted from 1. */
  line: number
  file?: string
}

export interface Rule {
  id: string
  /** Its common name. */
  tool: string
  category: FailureCategory
  /**
   * `root` is a cause; `wrapper` only repeats that something failed; `followup` is a consequence of other errors; `noise` looks like an
   * error and is none: nothing else may match its line.
   */
  role: (typeof RULE_ROLES)[number]
  /** The pattern runs only on lines with one of these. */
  need: readonly string[]
  /** Some line of the log must match this, or the rule does not count: other tools print lines of the same shape. */
  proof?: Pattern
  /** Groups `file`, `line`, `code`, `test` and `msg` are understood. */
  match: Pattern
  /** The line is only a header: its content starts at the next visible line. */
  header?: true
  /** The last line of the block is the cause, not the matching one: a traceback ends with its exception. */
  lead?: 'last'
  /** The tool's final statement that the build failed: a program that ends well afterwards does not revoke it. */
  final?: true
  /** Scripts rarely go on after it: if the failed step did, it may be the output of a test. */
  ends?: true
  /** Ids of rules whose later matches are consequences of this one. */
  explains?: readonly string[]
  /** The confidence that a match is the cause, 0 to 100. */
  score: number
  block?: Block
  /** Blocks of the same tool this many lines apart (without blank ones) are one finding. Default 0. */
  near?: number
  /** What to do about it; `{file}`, `{line}`, `{code}`, `{test}` and `{msg}` are replaced. */
  fix?: string
  examples: readonly Example[]
}
