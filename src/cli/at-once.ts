import { VERSION } from '../contract/version.ts'
import { HELP_WIDTH, type Prepared, prepared } from './prepared.ts'

export const isVersion = (words: readonly string[]) => words.length === 1 && (words[0] === '--version' || words[0] === '-V')

export const printVersion = () => print(1, `${VERSION}\n`)

/** Answers words that need no command: loading the parser and commands takes longer than starting Node. False if they need one. */
export async function answersAtOnce(words: readonly string[], known: Prepared | undefined = prepared): Promise<boolean> {
  if (!known) return false
  const [first = 'help', ...rest] = words
  if (['help', '--help', '-h'].includes(first)) return rest.length === 0 && fits() && print(1, known.help)
  // An option may ask for help after all, and a person's own word may be an alias.
  if (known.words.includes(first) || !words.every(isPlain) || (await hasPreferences())) return false
  process.exitCode = 2
  return print(2, `goldmaster: unknown command '${first}'${known.advice(first)}; see: goldmaster --help\n`)
}

/** A console of Windows would not understand others when they are written as bytes. */
const isPlain = (word: string) => /^(?!-)[ -~]*$/.test(word)

/** Files and pipes have no width, some terminals have 0. */
const fits = () => (process.stdout.columns || HELP_WIDTH) >= HELP_WIDTH

async function hasPreferences(): Promise<boolean> {
  const [{ existsSync }, { preferencesFile }] = await Promise.all([import('node:fs'), import('./connection/folders.ts')])
  return existsSync(preferencesFile(process.env))
}

/** Writes a text of plain letters without `process.stdout`, which takes a tenth of a start to set up. */
function print(output: 1 | 2, text: string): true {
  const stream = () => (output === 1 ? process.stdout : process.stderr)
  // An older Node has no such function, and still prints the version.
  const files: typeof import('node:fs') | undefined = process.getBuiltinModule?.('node:fs')
  let done = 0
  try {
    while (files && done < text.length) done += files.writeSync(output, text.slice(done))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The reader of the pipe is gone.
    if (code === 'EPIPE') done = text.length
    else stream().on('error', () => process.exit(1))
  }
  // Or it is slow: the stream waits for it.
  if (done < text.length) stream().write(text.slice(done))
  return true
}
