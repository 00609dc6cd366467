import { Worker } from 'node:worker_threads'
import { tooLarge } from '../contract/errors.ts'
import type { Door } from '../domain/webhook-access.ts'
import { Refused } from './deliver.ts'
import type { Request, TakenIn } from './take-in.ts'

/** From this size on a body is read in a thread of its own, whatever it holds: parsing it here would keep everybody else waiting. */
export const LONG = 4 * 1024 * 1024
/** At a time; each holds a body of up to 26 MiB and what it becomes. */
const AT_ONCE = 2
/** Of what a body becomes; without a bound, 25 MB of empty objects would take all there is. */
const MEMORY = { maxOldGenerationSizeMb: 256 }

interface Taking {
  databaseUrl: string
  door: Door
  request: Request
}
/** What was promised to a tool is done later, and may be as heavy then. */
interface Ingesting {
  databaseUrl: string
  delivery_id: number
}
export type HeavyWork = Taking | Ingesting

export type HeavyAnswer =
  | { taken: TakenIn }
  | { ingested: true }
  | { refused: { message: string; status: number; delivery_id: string } }
  | { failed: { message: string; code: string | undefined } }

let running = 0
const waiting: (() => void)[] = []

/** The same as `takeIn`, beside the others. */
export async function takeInBeside(work: Taking): Promise<TakenIn> {
  const answer = await beside(work)
  if ('taken' in answer) return answer.taken
  throw failureOf(answer)
}

export async function ingestBeside(work: Ingesting): Promise<void> {
  const answer = await beside(work)
  if (!('ingested' in answer)) throw failureOf(answer)
}

async function beside(work: HeavyWork): Promise<HeavyAnswer> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  try {
    return await inThread(work)
  } finally {
    running--
    waiting.shift()?.()
  }
}

function inThread(work: HeavyWork): Promise<HeavyAnswer> {
  const thread = threadFor(work)
  return new Promise((resolve, reject) => {
    thread.once('message', resolve)
    thread.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge('The body holds too many values.') : error),
    )
    thread.once('exit', (code) => reject(new Error(`The thread for large bodies ended with ${code}.`)))
  })
}

/** From a checkout the thread must first learn to read TypeScript, as the process itself did. */
function threadFor(workerData: HeavyWork): Worker {
  const transferList = 'request' in workerData ? ownedBy(workerData.request.raw) : []
  const options = { workerData, transferList, resourceLimits: MEMORY }
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./heavy-thread.js', import.meta.url), options)
  const entry = [new URL('./heavy-thread.ts', import.meta.url).href, import.meta.url].map((url) => JSON.stringify(url)).join(', ')
  return new Worker(`import('tsx/esm/api').then(({ tsImport }) => tsImport(${entry}))`, { eval: true, ...options })
}

/** The body moves to the thread instead of being copied, unless its memory is shared with other small ones. */
const ownedBy = ({ buffer, byteLength }: Buffer) => (buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : [])

function failureOf(answer: HeavyAnswer): Error {
  if ('refused' in answer) return new Refused(answer.refused.message, answer.refused.status, Number(answer.refused.delivery_id))
  if ('failed' in answer) return Object.assign(new Error(answer.failed.message), { code: answer.failed.code })
  return new Error('The thread for large bodies did something else.')
}
