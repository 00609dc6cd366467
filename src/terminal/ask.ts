import { usage } from './failures.ts'

/** Prompts a person; if nobody can answer, names the missing option. */
export async function ask(question: string, option: string, signal?: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw usage(`Missing ${option}`)
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(`${question}: `, { signal })
  } finally {
    lines.close()
  }
}

/** The first line of standard input, empty if there is none; typing is not echoed. */
export async function readSecret(question: string): Promise<string> {
  const { createInterface } = await import('node:readline')
  const { Writable } = await import('node:stream')
  const terminal = process.stdin.isTTY === true
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal })
  if (terminal) process.stderr.write(`${question}: `)
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (terminal) process.stderr.write('\n')
  }
}
