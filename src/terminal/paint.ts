export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan'
export type Paint = (style: Style, text: string) => string

const CODES: Record<Style, number> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }

const colored: Paint = (style, text) => `\x1b[${CODES[style]}m${text}\x1b[0m`
export const plain: Paint = (_, text) => text

/** Colors only for people at a terminal, unless disabled. */
export const paintFor = (stream: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Paint =>
  stream.isTTY && !environment.NO_COLOR && environment.TERM !== 'dumb' ? colored : plain
