import { readSecret } from '../terminal/ask.ts'
import { usage } from '../terminal/failures.ts'

/** `-` reads it from standard input: that keeps it out of the list of processes and the shell's history. */
export async function secretOf(given: string, question: string): Promise<string> {
  const secret = given === '-' ? await readSecret(question) : given
  if (secret === '') throw usage(`${question}: nothing was given.`)
  return secret
}
