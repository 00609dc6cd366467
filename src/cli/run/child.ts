import { type ChildProcess, spawn } from 'node:child_process'
import { fstatSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { commandLine } from './windows.ts'

/** Signals for a build, which we receive instead. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGBREAK']
/** Helpers that outlive a build may hold its output open forever: wait as long as something arrives, and no longer than this after it. */
const SILENCE_MS = 500
const LINGER_MS = 5_000
/** On Windows the console tells the build and everything it started as well; after this time they are ended. */
const LEAVE_MS = 5_000
/** How long a build may print into the pipe before its output is read again, unless it prints much. */
const GATHER_MS = 5
const PLENTY = 16 * 1024

export interface Ended {
  /** As a shell would report it. */
  code: number
  /** The signal that ended it. */
  signal?: NodeJS.Signals
  /** Somebody stopped it. */
  interrupted: boolean
}

const windows = process.platform === 'win32'

/** Whether both outputs go to the same file. As separate pipes, the build's lines would change their order there. */
function isOneOutput(): boolean {
  try {
    const [out, err] = [fstatSync(1), fstatSync(2)]
    return !windows && out.dev === err.dev && out.ino === err.ino
  } catch {
    return false
  }
}

function begin([program, ...args]: readonly string[]): ChildProcess {
  const stdio = ['inherit', 'pipe', 'pipe'] as ['inherit', 'pipe', 'pipe']
  if (windows) {
    const line = commandLine(program!, args, process.env)
    return spawn(line.file, line.args, { stdio, windowsVerbatimArguments: line.verbatim })
  }
  return isOneOutput()
    ? spawn('/bin/sh', ['-c', 'exec "$@" 2>&1', 'goldmaster run', program!, ...args], { stdio })
    : spawn(program!, args, { stdio })
}

/** Runs a build: its output is passed on as it arrives, and given to `printed`; signals reach it, and its result is returned. */
export async function runBuild(command: readonly string[], printed: (bytes: Buffer) => void): Promise<Ended> {
  const child = begin(command)
  let interrupted = false
  const forward = (signal: NodeJS.Signals) => {
    const again = interrupted
    interrupted = true
    if (windows) setTimeout(() => endTree(child), again ? 0 : LEAVE_MS).unref()
    // A terminal sends it to the build itself.
    else if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal)
  }
  for (const signal of FORWARDED) process.on(signal, forward)
  passOn(child.stdout!, process.stdout, printed)
  passOn(child.stderr!, process.stderr, printed)
  try {
    const [code, signal] = await endOf(child)
    return { code: code ?? 128 + constants.signals[signal!], signal: signal ?? undefined, interrupted }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    process.stderr.write(
      `goldmaster: Can't run ${command[0]}: ${code === 'ENOENT' ? 'command not found' : (error as Error).message}\n`,
    )
    return { code: code === 'ENOENT' ? 127 : 126, interrupted }
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward)
  }
}

/** Ends a build and everything it started. Windows has no signals: ending the build alone would leave its compilers running. */
function endTree({ pid, exitCode }: ChildProcess) {
  if (pid !== undefined && exitCode === null) spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore' })
}

/**
 * Byte for byte, no faster than the reader. If the reader leaves, the build notices. Single lines are combined, so that there are fewer
 * reads.
 */
function passOn(from: Readable, to: NodeJS.WriteStream, printed: (bytes: Buffer) => void) {
  to.removeAllListeners('error')
  to.on('error', () => from.destroy())
  const goOn = () => void from.resume()
  from.on('data', (bytes: Buffer) => {
    printed(bytes)
    const hasRoom = to.write(bytes)
    if (hasRoom && bytes.length >= PLENTY) return
    from.pause()
    if (hasRoom) setTimeout(goOn, GATHER_MS)
    else to.once('drain', goOn)
  })
}

const endOf = (child: ChildProcess) =>
  new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve([code, signal]))
    child.once('exit', (code, signal) => {
      const leave = () => {
        for (const output of [child.stdout!, child.stderr!]) output.destroy()
        resolve([code, signal])
      }
      const silence = setTimeout(leave, SILENCE_MS)
      setTimeout(leave, LINGER_MS).unref()
      for (const output of [child.stdout!, child.stderr!]) output.on('data', () => silence.refresh())
    })
  })

/** Exits like the build: with the same code, or by the same signal, so that our parent process sees what happened. */
export async function leaveLike({ code, signal }: Ended): Promise<never> {
  for (const output of [process.stdout, process.stderr])
    if (output.writable) await new Promise<void>((done) => void output.write('', () => done()))
  if (signal && !windows) {
    process.kill(process.pid, signal)
    // Signals that Node handles itself, or that do not kill.
    await new Promise((done) => setTimeout(done, 200))
  }
  process.exit(code)
}
