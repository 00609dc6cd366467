import { spawn } from 'node:child_process'
import type { BisectionVerdict } from '../../../contract/sets.ts'
import { Failure } from '../../../terminal/failures.ts'
import { commandLine } from '../../run/windows.ts'

const SKIP = 125
/** A shell's codes for a command that could not be started. */
const NOT_RUN = [126, 127]

/** Runs the command at a change, which it finds in GOLDMASTER_CHANGE. Its output goes to standard error, so that ours is the result alone. */
export async function tryChange(command: readonly string[], change: string, env: NodeJS.ProcessEnv): Promise<BisectionVerdict> {
  const [program, ...args] = command as [string, ...string[]]
  const line = process.platform === 'win32' ? commandLine(program, args, process.env) : { file: program, args, verbatim: false }
  const child = spawn(line.file, line.args, {
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...env, GOLDMASTER_CHANGE: change },
    windowsVerbatimArguments: line.verbatim,
  })
  let stopped: NodeJS.Signals | undefined
  const stop = (signal: NodeJS.Signals) => {
    stopped = signal
    child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, stop)
  try {
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) =>
      child.once('error', reject).once('close', (code, signal) => resolve([code, signal])),
    )
    if (stopped ?? signal) throw new Failure(`Stopped by ${stopped ?? signal} at ${change}.`)
    if (NOT_RUN.includes(code!)) throw new Failure(`The command could not be run at ${change} (exit code ${code}).`)
    return code === 0 ? 'good' : code === SKIP ? 'skip' : 'bad'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Failure(`Can't run ${program}: command not found`)
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
