import type { Arguments, Flags, GivenArguments, GivenFlags } from './flags.ts'
import type { Output, Shape } from './output.ts'

/** One run of a command: its input and its output. */
export interface Run<F extends Flags = Flags, A extends Arguments = Arguments> {
  args: GivenArguments<A>
  flags: GivenFlags<F>
  out: Output
}

/** A command as data: the parser, its help, the completion and the manual are derived from it. */
export interface Command<F extends Flags = Flags, A extends Arguments = Arguments> {
  name: string
  summary: string
  args?: A
  flags?: F
  /**
   * The output for programs, with `--json`, `--pick`, `--jq` and `--template`: `json` if its fields are only known at runtime, a shape for
   * known fields, `anything` for a document without `--json`.
   */
  prints?: 'json' | 'anything' | Shape
  /** Its output may be long and is complete at once: at a terminal it goes through the pager. */
  pages?: true
  examples: readonly string[]
  /** More details, shown after the options. */
  details?: string
  /** A returned number is the exit code. */
  run(given: Run<F, A>): unknown
}

export interface Noun<C = Command> {
  name: string
  summary: string
  /** The command that runs without a verb. */
  usual?: string
  commands: readonly C[]
}
