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
   * How programs may ask for the answer: `json` for all of it with `--json`; with known fields also some of them, and `--pick`;
   * `anything` for an answer that is a document by itself, with `--pick`.
   */
  prints?: 'json' | 'anything' | Shape
  examples: readonly string[]
  /** More than the options tell, shown after them. */
  details?: string
  /** A number that it returns is the exit code. */
  run(given: Run<F, A>): unknown
}

export interface Noun<C = Command> {
  name: string
  summary: string
  commands: readonly C[]
}
