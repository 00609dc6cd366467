import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/** The first line of standard input; asked for without showing it where a person types. */
export async function readSecret(question: string): Promise<string> {
  const terminal = process.stdin.isTTY === true
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal })
  if (terminal) process.stderr.write(`${question}: `)
  try {
    for await (const line of lines) {
      if (line !== '') return line
      break
    }
    throw new Error(`${question}: nothing was given.`)
  } finally {
    lines.close()
    if (terminal) process.stderr.write('\n')
  }
}
