import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { PROGRAM } from '../built.ts'

export interface Running {
  child: ChildProcess
  /** Standard output and error so far. */
  said(): string
  /** The exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** `goldmaster` as people run it, in a separate process. */
export function goldmaster(args: string[], env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: resolve(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return { child, said: () => text, ended: new Promise((done) => child.on('close', (code, signal) => done(code ?? signal))) }
}
