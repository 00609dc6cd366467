/** What the build knows about the commands, so that a start that only prints it loads no command and no parser. */
export interface Prepared {
  /** The list of all commands, for a window of at least `HELP_WIDTH` columns. */
  help: string
  /** All first words that have a meaning, also those that only another file of the program knows. */
  words: readonly string[]
  /** The advice for a word that is none of the commands, as the parser words it. */
  advice(word: string): string
}

/** The list of commands is never wider, so that one text fits. */
export const HELP_WIDTH = 80

/** Nothing when run from the sources: the bundler puts the texts here. */
export const prepared: Prepared | undefined = undefined
