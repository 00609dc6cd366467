import { RE2JS } from 're2js'
import type { Pattern } from '../rule.ts'

/** Why a text is not a linear-time pattern; starts with `is …` or `must …`. */
export class UnreadablePattern extends Error {}

/** A line costs its length times this: a counted repeat is as long as its count. */
const PROGRAM_MAX = 5_000

/**
 * A pattern of a studio, matched without backtracking: time grows linearly with the line, whatever the pattern. The syntax is JavaScript's,
 * except for what needs backtracking.
 */
export function linearPattern(source: string): Pattern {
  const why = goesBack(source)
  if (why) throw new UnreadablePattern(why)
  const compiled = compile(source)
  if (compiled.programSize() > PROGRAM_MAX) throw new UnreadablePattern('is too large: repeat less often than {…} says')
  return {
    source,
    test: (line) => compiled.test(line),
    exec: (line) => {
      // Testing whether it matches is many times faster than finding its groups.
      const found = compiled.test(line) ? compiled.exec(line) : null
      return found && { groups: (found as { groups?: Record<string, string | undefined> }).groups }
    },
  }
}

/** Escapes and classes are read as a whole, so that their content is not interpreted. */
function goesBack(source: string): string | undefined {
  const tokens = source.match(/\\.|\[(?:\\.|[^\]\\])*\]|\(\?<?[=!]/gs) ?? []
  if (tokens.some((token) => /^\\[1-9k]/.test(token))) return 'must not refer back to a group (\\1, \\k<name>)'
  return tokens.some((token) => token.startsWith('('))
    ? 'must not look ahead or behind ((?=…), (?!…), (?<=…), (?<!…))'
    : undefined
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch (error) {
    throw new UnreadablePattern(`is no regular expression: ${(error as Error).message.replace(/^error parsing regexp: /, '')}`)
  }
}
