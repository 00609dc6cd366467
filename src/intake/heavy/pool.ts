import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { HeavyAnswer, HeavyJob } from './messages.ts'

/** Heap for a parsed body. V8 ends only the process that needs more: a thread would take the whole service down. */
const HEAP_MB = 512
/** After this time it will not finish any more; a single statement has a minute. */
const DEADLINE_MS = 180_000
/** Large bodies come in bursts; after that a process only costs memory. */
const IDLE_MS = 30_000

/** The process ended while it worked: it crashed, or was stopped. */
export class ProcessEnded extends Error {
  readonly onPurpose: boolean

  constructor(onPurpose: boolean, how: string) {
    super(`The process that reads large bodies ended: ${how}.`)
    this.onPurpose = onPurpose
  }
}

const idle = new Map<ChildProcess, NodeJS.Timeout>()
const busy = new Set<ChildProcess>()
const killed = new WeakSet<ChildProcess>()

/** Gives one piece of work to a process and waits for the result. The body is sent over standard input, without a copy. */
export async function inProcess(job: HeavyJob, body?: Buffer): Promise<HeavyAnswer> {
  const child = takeIdle() ?? start()
  busy.add(child)
  child.ref()
  const deadline = setTimeout(() => kill(child), DEADLINE_MS)
  try {
    const answer = new Promise<HeavyAnswer>((resolve, reject) => {
      child.once('message', (message) => resolve(message as HeavyAnswer))
      child.once('exit', (code, signal) => reject(new ProcessEnded(killed.has(child) || isTold(signal), `${signal ?? code}`)))
      child.once('error', reject)
    })
    child.send({ job, bytes: body?.length ?? 0 })
    if (body) child.stdin!.write(body)
    const answered = await answer
    child
      .removeAllListeners('exit')
      .removeAllListeners('error')
      .on('error', () => {})
    rest(child)
    return answered
  } finally {
    clearTimeout(deadline)
    busy.delete(child)
  }
}

/** Ctrl-C reaches the whole process group; a new process may receive it before its handler is set. */
const isTold = (signal: NodeJS.Signals | null) => signal === 'SIGINT' || signal === 'SIGTERM'

function takeIdle(): ChildProcess | undefined {
  for (const [child, timer] of idle) {
    clearTimeout(timer)
    idle.delete(child)
    if (child.connected) return child
  }
  return undefined
}

/** Kept for the next body; it does not keep the service running. */
function rest(child: ChildProcess) {
  child.unref()
  child.channel?.unref()
  idle.set(child, setTimeout(() => end(child), IDLE_MS).unref())
}

function end(child: ChildProcess) {
  idle.delete(child)
  if (child.connected) child.disconnect()
}

function kill(child: ChildProcess) {
  killed.add(child)
  child.kill('SIGKILL')
}

/** PostgreSQL rolls back what is still running: without a response, the tool retries it. */
export function stopProcesses() {
  for (const child of [...idle.keys()]) end(child)
  for (const child of busy) kill(child)
}

function start(): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts')
  const entry = new URL(isSource ? './heavy-process.ts' : './heavy-process.js', import.meta.url)
  // In a checkout the process must first register the TypeScript loader, as this one did.
  const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
  const child = fork(fileURLToPath(entry), [], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...loader],
    serialization: 'advanced',
    stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
  })
  // If it ended, the exit reports it; a failed write is not a second failure.
  child.stdin!.on('error', () => {})
  return child
}
