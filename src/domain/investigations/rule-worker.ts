import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** The thread interrupts long work by itself; this is for what prevents it from doing so. */
const TIMEOUT_MS = 10_000
/** People often try a rule several times; after that the thread only costs memory. */
const IDLE_MS = 60_000

export class ThreadTimeout extends Error {}
/** Other work kept the thread busy for too long. */
export class QueueTimeout extends Error {}

/**
 * One thread and its queue: one piece of work after the other, so that a second core stays free for requests. Work that waited longer than
 * `patience` milliseconds is not started.
 */
export function openRuleWorker({ patience = Number.POSITIVE_INFINITY } = {}) {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let thread: Promise<Worker> | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    void thread?.then((worker) => worker.terminate())
    thread = undefined
  }

  async function inThread(work: object): Promise<unknown> {
    clearTimeout(idle)
    thread ??= start()
    const timeout = new AbortController()
    let timer: NodeJS.Timeout | undefined
    try {
      const worker = await thread
      timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
      worker.postMessage(work)
      const [answer] = await once(worker, 'message', { signal: timeout.signal })
      idle = setTimeout(end, IDLE_MS).unref()
      return answer
    } catch (error) {
      end()
      throw timeout.signal.aborted ? new ThreadTimeout(`They took longer than ${TIMEOUT_MS} ms.`) : error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    waiting: () => waiting,
    run(work: object): Promise<unknown> {
      waiting++
      const asked = performance.now()
      const turn = last.then(() => {
        if (performance.now() - asked > patience) throw new QueueTimeout()
        return inThread(work)
      })
      last = turn.catch(() => {})
      return turn.finally(() => waiting--)
    },
  }
}

async function start(): Promise<Worker> {
  const worker = open()
  worker.unref()
  await once(worker, 'message')
  return worker
}

/** In a checkout the thread must first register the TypeScript loader, as the process did. */
function open(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./rule-worker-entry.js', import.meta.url))
  const entry = [new URL('./rule-worker-entry.ts', import.meta.url).href, import.meta.url]
    .map((url) => JSON.stringify(url))
    .join(', ')
  return new Worker(`import('tsx/esm/api').then(({ tsImport }) => tsImport(${entry}))`, { eval: true })
}
