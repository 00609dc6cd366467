import { vi } from 'vitest'
import { type Beside, perform } from '../../../src/cli/main.ts'

/** A failed command: its output and exit code. */
class Refused extends Error {
  readonly exit: number

  constructor(said: string, exit: number) {
    super(said)
    this.exit = exit
  }
}

interface Surroundings {
  beside?: Beside
  env?: Record<string, string>
  /** The width of a person's terminal; without it the output goes into a pipe. */
  columns?: number
}

/** Runs a command inside this process, because starting many would take too long: returns its output, and throws its errors. */
export async function performed(
  words: readonly string[],
  { beside = {}, env = {}, columns }: Surroundings = {},
): Promise<string> {
  const written = { out: '', err: '' }
  const capture = (stream: NodeJS.WriteStream, name: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written[name] += text
      return true
    })
  const spies = [capture(process.stdout, 'out'), capture(process.stderr, 'err')]
  const { isTTY, columns: before } = process.stdout
  Object.assign(process.stdout, { isTTY: columns !== undefined, columns })
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  try {
    await perform(words, beside)
    const exit = Number(process.exitCode ?? 0)
    if (exit !== 0) throw new Refused(written.err.replace(/^goldmaster: /, '').trimEnd(), exit)
    return written.out
  } finally {
    process.exitCode = undefined
    Object.assign(process.stdout, { isTTY, columns: before })
    vi.unstubAllEnvs()
    for (const spy of spies) spy.mockRestore()
  }
}
