import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { launcherOf, permissionsOf } from './confine.ts'

interface PoolSettings {
  /** The file that a process runs, next to the module that calls: its URL and the name without an extension. */
  beside: string
  entry: string
  /** V8 ends only the process that needs more: a thread would take the whole service down. */
  heapMb: number
  /** After this time it will not finish any more. */
  deadlineMs: number
  /** Variables of the environment that it needs; it gets no others, because they have the keys of the service. */
  environment?: RegExp
  /** It reads hostile files: no network, no other files, no programs, as far as the system can prevent it (`confine.ts`). */
  isSealed?: boolean
}

/** A process may use several times what its heap may, and in its life the processor for several deadlines. */
const memoryOf = (heapMb: number) => 2 * heapMb + 512
const DEADLINES = 8

/** Work comes in bursts; after that a process only costs memory. */
const IDLE_MS = 30_000

/** The process ended while it worked: with the service, by the deadline, or because of the work. */
export class ProcessEnded extends Error {
  readonly why: 'stopped' | 'late' | 'crashed'

  constructor(why: ProcessEnded['why'], how: string) {
    super(`A child process ended: ${how}.`)
    this.why = why
  }
}

/** Ctrl-C reaches the whole process group; a new process may receive it before its handler is set. */
const isTold = (signal: NodeJS.Signals | null) => signal === 'SIGINT' || signal === 'SIGTERM'

/** Processes that do one piece of work at a time. */
export class ProcessPool<Job, Answer> {
  #settings: PoolSettings
  #idle = new Map<ChildProcess, NodeJS.Timeout>()
  #busy = new Set<ChildProcess>()
  #killed = new WeakMap<ChildProcess, 'stopped' | 'late'>()
  /** How long each has worked: it ends before the kernel's limit ends it in the middle of its work. */
  #worked = new WeakMap<ChildProcess, number>()

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Gives one piece of work to a process and waits for the result. The body is sent over standard input, without a copy. */
  async run(job: Job, body?: Buffer): Promise<Answer> {
    const child = this.#takeIdle() ?? this.#start()
    const began = performance.now()
    this.#busy.add(child)
    child.ref()
    const deadline = setTimeout(() => this.#kill(child, 'late'), this.#settings.deadlineMs)
    try {
      const answer = new Promise<Answer>((resolve, reject) => {
        child.once('message', (message) => resolve(message as Answer))
        child.once('exit', (code, signal) =>
          reject(new ProcessEnded(this.#killed.get(child) ?? (isTold(signal) ? 'stopped' : 'crashed'), `${signal ?? code}`)),
        )
        child.once('error', reject)
      })
      child.send({ job, bytes: body?.length ?? 0 })
      if (body) child.stdin!.write(body)
      const answered = await answer
      child
        .removeAllListeners('exit')
        .removeAllListeners('error')
        .on('error', () => {})
      const worked = (this.#worked.get(child) ?? 0) + performance.now() - began
      this.#worked.set(child, worked)
      this.#rest(child)
      if (worked > this.#settings.deadlineMs) this.#end(child)
      return answered
    } finally {
      clearTimeout(deadline)
      this.#busy.delete(child)
    }
  }

  #takeIdle(): ChildProcess | undefined {
    for (const [child, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(child)
      if (child.connected) return child
    }
    return undefined
  }

  /** Kept for the next work; it does not keep the service running. */
  #rest(child: ChildProcess) {
    child.unref()
    child.channel?.unref()
    ;(child.stderr as Socket | null)?.unref()
    this.#idle.set(child, setTimeout(() => this.#end(child), IDLE_MS).unref())
  }

  #end(child: ChildProcess) {
    clearTimeout(this.#idle.get(child))
    this.#idle.delete(child)
    if (child.connected) child.disconnect()
  }

  /** What still runs is aborted. */
  stop() {
    for (const child of [...this.#idle.keys()]) this.#end(child)
    for (const child of this.#busy) this.#kill(child, 'stopped')
  }

  #kill(child: ChildProcess, why: 'stopped' | 'late') {
    this.#killed.set(child, why)
    child.kill('SIGKILL')
  }

  #start(): ChildProcess {
    const { beside, entry, heapMb, deadlineMs, environment, isSealed = false } = this.#settings
    const isSource = beside.endsWith('.ts')
    const file = fileURLToPath(new URL(`./${entry}.${isSource ? 'ts' : 'js'}`, beside))
    // In a checkout the process must first register the TypeScript loader, as this one did; the loader starts a helper of its own.
    const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
    const limits = { memoryMb: memoryOf(heapMb), seconds: Math.ceil((DEADLINES * deadlineMs) / 1000) }
    const launcher = isSealed ? launcherOf(limits, isSource) : []
    const permissions = isSealed && !isSource ? permissionsOf(file) : []
    const [execPath, ...command] = [...launcher, process.execPath, ...permissions, `--max-old-space-size=${heapMb}`, ...loader]
    const child = fork(file, [], {
      execPath: execPath!,
      execArgv: command,
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => environment?.test(name))),
      serialization: 'advanced',
      // A log on disk is a file, and a sealed process writes to none.
      stdio: ['pipe', 'ignore', isSealed ? 'pipe' : 'inherit', 'ipc'],
    })
    child.stderr?.on('data', (text) => process.stderr.write(text))
    // If it ended, the exit reports it; a failed write is not a second failure.
    child.stdin!.on('error', () => {})
    return child
  }
}
