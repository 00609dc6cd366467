import { usage } from '../../terminal/failures.ts'

const WORD = /"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g

/** The words of an alias, quoted as in a shell. */
export const wordsOf = (text: string): string[] =>
  [...text.matchAll(WORD)].map(([, double, single, bare]) => double?.replace(/\\(.)/g, '$1') ?? single ?? bare!)

/** Expands an alias; `$1` is replaced with a following word, the others are appended. */
export function expand(words: readonly string[], aliases: Record<string, string>): readonly string[] {
  const [first, ...rest] = words
  if (first === undefined || !Object.hasOwn(aliases, first)) return words
  let used = 0
  const filled = wordsOf(aliases[first]!).map((word) =>
    word.replace(/\$(\d)/g, (_, number: string) => {
      const given = rest[Number(number) - 1]
      if (given === undefined)
        throw usage(
          `The alias ${first} is "${aliases[first]}" and needs ${number} more ${number === '1' ? 'argument' : 'arguments'}`,
        )
      used = Math.max(used, Number(number))
      return given
    }),
  )
  return [...filled, ...rest.slice(used)]
}
