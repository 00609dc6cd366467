import { ask, readSecret } from '../terminal/ask.ts'
import { usage } from '../terminal/failures.ts'

/** `-` reads it from standard input: that keeps it out of the process list and the shell's history. */
export async function secretOf(given: string, question: string): Promise<string> {
  const secret = given === '-' ? await readSecret(question) : given
  if (secret === '') throw usage(`Missing: ${question}. Enter it, or pass it on standard input.`)
  return secret
}

/** Typing the name gives a moment to notice that it is the wrong one. */
export async function confirmName(yes: boolean | undefined, name: string) {
  if (yes) return
  const typed = await ask(`This cannot be undone. Type ${JSON.stringify(name)} to delete it`, '--yes')
  if (typed.trim() !== name) throw usage('The name does not match. Nothing was deleted.')
}
