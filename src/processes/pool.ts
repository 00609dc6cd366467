import { type ChildProcess, fork } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

interface PoolSettings {
  /** The file that a process runs, next to the module that calls: its URL and the name without an extension. */
  beside: string
  entry: string
  /** V8 ends only the process that needs more: a thread would take the whole service down. */
  heapMb: number
  /** After this time it will not finish any more. */
  deadlineMs: number
}

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

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /** Gives one piece of work to a process and waits for the result. The body is sent over standard input, without a copy. */
  async run(job: Job, body?: Buffer): Promise<Answer> {
    const child = this.#takeIdle() ?? this.#start()
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
      this.#rest(child)
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
    this.#idle.set(child, setTimeout(() => this.#end(child), IDLE_MS).unref())
  }

  #end(child: ChildProcess) {
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
    const { beside, entry, heapMb } = this.#settings
    const isSource = beside.endsWith('.ts')
    // In a checkout the process must first register the TypeScript loader, as this one did.
    const loader = isSource ? ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href] : []
    const child = fork(fileURLToPath(new URL(`./${entry}.${isSource ? 'ts' : 'js'}`, beside)), [], {
      execArgv: [`--max-old-space-size=${heapMb}`, ...loader],
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    })
    // If it ended, the exit reports it; a failed write is not a second failure.
    child.stdin!.on('error', () => {})
    return child
  }
}
