import type { Arguments, Flags, GivenArguments, GivenFlags } from './flags.ts'
import type { Output, Shape } from './output.ts'

/** One run of a command: what it was given, and where its answer goes. */
export interface Run<F extends Flags = Flags, A extends Arguments = Arguments> {
  args: GivenArguments<A>
  flags: GivenFlags<F>
  out: Output
}

/** A command as data: the parser, its help, the completion and the manual are read off it. */
export interface Command<F extends Flags = Flags, A extends Arguments = Arguments> {
  name: string
  summary: string
  args?: A
  flags?: F
  /**
   * How programs may ask for the answer, with `--json`, `--pick`, `--jq` and `--template`: `json` for one whose fields are known only when
   * it is there, a shape for one of known fields, `anything` for one that is a document by itself, without `--json`.
   */
  prints?: 'json' | 'anything' | Shape
  /** Its answer may be long and is there at once: at a terminal it goes through the pager. */
  pages?: true
  examples: readonly string[]
  /** More than the options tell, shown after them. */
  details?: string
  /** A number that it returns is the exit code. */
  run(given: Run<F, A>): unknown
}

export interface Noun<C = Command> {
  name: string
  summary: string
  /** The command that runs without a verb. */
  usual?: string
  commands: readonly C[]
}
