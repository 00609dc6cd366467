/** Rows of a table as text: one line each, columns separated by bars. */
export const table = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))

export const words = (cell = ''): string[] => cell.split(/\s+/).filter(Boolean)

/** Replaces `{name}` with values; braces around anything else stay. */
export const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole)

/** `lighthouse door` → `LighthouseDoor`. */
export const pascal = (phrase: string): string =>
  phrase
    .split(/[^a-zA-Z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** `lighthouse door` → `lighthouse_door`. */
export const snake = (phrase: string): string => phrase.toLowerCase().replace(/[^a-z0-9]+/g, '_')
