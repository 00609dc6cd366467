import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ApiError, invalidParameter, rateLimited } from '../contract/errors.ts'
import type { Definition } from '../diagnosis/definition.ts'
import type { Trial } from '../diagnosis/try-rule.ts'

/**
 * Rules that somebody wrote in a browser are proven and tried in a thread of their own: a pattern made to stall would keep everybody
 * else waiting for seconds.
 */

export type RuleWork = { kind: 'prove'; given: object } | { kind: 'try'; given: object; log: string; others: Definition[] }

export type RuleAnswer =
  | { done: Definition[] | Trial }
  | { refused: { status: number; code: string; message: string; extra: Record<string, unknown> } }

/** The thread breaks long work off by itself; this is for what keeps it from doing so. */
const PATIENCE_MS = 20_000
/** Somebody who tries a rule tries it again; afterwards the thread only costs memory. */
const IDLE_MS = 60_000
const WAITING_MAX = 8

let last: Promise<unknown> = Promise.resolve()
let waiting = 0
let thread: Promise<Worker> | undefined
let idle: NodeJS.Timeout | undefined

/** Reads and proves one definition. */
export const proveBeside = async (given: object): Promise<Definition> =>
  ((await inTurn({ kind: 'prove', given })) as Definition[])[0]!

export const tryBeside = async (given: object, log: string, others: Definition[]): Promise<Trial> =>
  (await inTurn({ kind: 'try', given, log, others })) as Trial

/** One after the other: rules are written seldom, and a second core should stay free for whoever reads. */
async function inTurn(work: RuleWork): Promise<Definition[] | Trial> {
  if (waiting >= WAITING_MAX) throw rateLimited(5)
  waiting++
  const turn = last.then(() => inThread(work))
  last = turn.catch(() => {})
  const answer = await turn.finally(() => waiting--)
  if ('done' in answer) return answer.done
  const { status, code, message, extra } = answer.refused
  throw new ApiError(status, code, message, extra)
}

async function inThread(work: RuleWork): Promise<RuleAnswer> {
  clearTimeout(idle)
  thread ??= start()
  const [worker, patience] = [await thread, new AbortController()]
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS)
  try {
    worker.postMessage(work)
    const [answer] = (await once(worker, 'message', { signal: patience.signal })) as [RuleAnswer]
    idle = setTimeout(end, IDLE_MS).unref()
    return answer
  } catch (error) {
    end()
    throw patience.signal.aborted ? invalidParameter('match', 'takes too long') : error
  } finally {
    clearTimeout(timer)
  }
}

function end() {
  void thread?.then((worker) => worker.terminate())
  thread = undefined
}

async function start(): Promise<Worker> {
  const worker = open()
  worker.unref()
  await once(worker, 'message')
  return worker
}

/** From a checkout the thread must first learn to read TypeScript, as the process itself did. */
function open(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./rules-thread.js', import.meta.url))
  const entry = [new URL('./rules-thread.ts', import.meta.url).href, import.meta.url].map((url) => JSON.stringify(url)).join(', ')
  return new Worker(`import('tsx/esm/api').then(({ tsImport }) => tsImport(${entry}))`, { eval: true })
}
