import type { Argument, Command, Option } from 'commander'

const valuesOf = (of: Option | Argument): readonly string[] => of.argChoices ?? choicesInHelp(of.description)

/** Lists of words are in the help, where the parser has no choices. */
const choicesInHelp = (help: string) => /list of: ([\w:.,\s-]+)$/.exec(help)?.[1]?.split(', ') ?? []

const named = (command: Command, word: string): Option | undefined =>
  command.options.find((option) => option.long === word || option.short === word)

/** What may follow the words; the last one is being typed. */
function candidates(program: Command, words: readonly string[]): string[] {
  const typed = words.at(-1) ?? ''
  let command = program
  let places = 0
  let waiting: Option | undefined
  for (const word of words.slice(0, -1)) {
    if (waiting) waiting = undefined
    else if (word.startsWith('-')) {
      const option = named(command, word)
      waiting = option?.required ? option : undefined
    } else {
      const inner = command.commands.find((each) => each.name() === word)
      if (inner) command = inner
      else places++
    }
  }
  if (waiting) return startingWith(typed, valuesOf(waiting), true)
  if (typed.startsWith('-')) return startingWith(typed, [...command.options.map((option) => option.long ?? ''), '--help'])
  const argument = command.registeredArguments[places]
  return startingWith(typed, [...command.commands.map((each) => each.name()), ...(argument ? valuesOf(argument) : [])])
}

/** In a list, the word after the last comma is being typed. */
function startingWith(typed: string, words: readonly string[], list = false): string[] {
  const before = list ? typed.slice(0, typed.lastIndexOf(',') + 1) : ''
  return words.map((word) => `${before}${word}`).filter((word) => word.startsWith(typed))
}

export function complete(program: Command, words: readonly string[]) {
  for (const word of candidates(program, words)) process.stdout.write(`${word}\n`)
}
