import type { RouteName } from '../../contract/routes.ts'
import type { Call } from './call.ts'
import type { Flags } from './flags.ts'

export interface Argument {
  name: string
  help: string
  optional?: true
  many?: true
  values?: readonly string[]
}

/** Whose answer `--json` prints: the fields that may be chosen are those of its rows, or its own. */
export interface Shows {
  route: RouteName
  rows?: string
}

export interface Command<F extends Flags = Flags> {
  name: string
  summary: string
  args?: readonly Argument[]
  flags?: F
  /** Works inside a project: takes `--project`, or the one chosen for the folder. */
  project?: true
  /** Speaks to no service: takes no `--host`. */
  offline?: true
  shows?: Shows | 'anything'
  examples: readonly string[]
  /** More than the options tell, shown after them. */
  details?: string
  /** A number that it returns is the exit code. */
  run(call: Call<F>): unknown
}

export interface Noun {
  name: string
  summary: string
  commands: readonly Command[]
}

/** Lets the flags be known to `run` by their names. */
export const command = <const F extends Flags>(made: Command<F>): Command => made as unknown as Command
