/** `//game/rel-*: Cook, Editor` line by line; the last colon ends the pattern, since a depot path or the name of a job may contain one. */
export const patternLines = (text: string): { pattern: string; values: string[] }[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const split = line.lastIndexOf(':')
      const [pattern, values] = split === -1 ? [line, ''] : [line.slice(0, split), line.slice(split + 1)]
      return { pattern: pattern.trim(), values: values.split(',').map((value) => value.trim()) }
    })
