import { vi } from 'vitest'
import { adminCommand } from '../../src/admin/main.ts'
import { perform } from '../../src/cli/main.ts'
import type { Pool } from '../../src/db/database.ts'
import type { Vault } from '../../src/domain/access/secrets.ts'

interface Beside {
  db: Pool
  vault: Vault
  site?: string
  metering?: boolean
}

/** A command that did not work: what it said, and how it ended. */
export class Refused extends Error {
  readonly exit: number

  constructor(said: string, exit: number) {
    super(said)
    this.exit = exit
  }
}

/** `goldmaster admin …` on a database of the test, piped: gives what it printed, and throws what it complained of. */
export async function admin(store: Beside, ...words: string[]): Promise<string> {
  const written = { out: '', err: '' }
  const capture = (stream: NodeJS.WriteStream, name: 'out' | 'err') =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written[name] += text
      return true
    })
  const spies = [capture(process.stdout, 'out'), capture(process.stderr, 'err')]
  const close = async () => {}
  try {
    const opened = { site: 'https://gold.example', metering: false, ...store, close }
    await perform(['admin', ...words], { admin: async () => adminCommand(async () => opened) })
    const exit = Number(process.exitCode ?? 0)
    if (exit !== 0) throw new Refused(written.err.replace(/^goldmaster: /, '').trimEnd(), exit)
    return written.out
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}
