import { setTimeout as sleep } from 'node:timers/promises'
import { stopping } from '../contract/errors.ts'
import { FairQueue } from '../processes/fair-queue.ts'
import { ProcessEnded, ProcessPool } from '../processes/pool.ts'
import type { GivenFile, Made } from './made.ts'

/** Two at a time; each has a file and its pixels in memory. */
const queue = new FairQueue(2)
const pool = new ProcessPool<GivenFile, Made>({
  beside: import.meta.url,
  entry: 'preview-process',
  heapMb: 512,
  // On a busy machine a process takes a while to start.
  deadlineMs: 60_000,
  isSealed: true,
})

/** Processes of one node share its memory; called before the first request. */
export const sharePreviewProcesses = (processes: number) => queue.share(processes)

const ENDS = {
  late: 'Making a preview of this file takes too long.',
  crashed: 'Making a preview of this file takes too much memory.',
}

/** Makes the preview of a file in another process. Refuses accounts that have too many waiting. */
export async function makePreview(accountId: number, file: GivenFile, bytes: Buffer): Promise<Made> {
  try {
    const made = await queue.enter(accountId, () => pool.run(file, bytes))
    return 'reason' in made ? made : { ...made, ...(buffersOf(made) as object) }
  } catch (error) {
    if (!(error instanceof ProcessEnded)) throw error
    if (error.why === 'stopped') throw stopping()
    return { reason: ENDS[error.why] }
  }
}

/** Messages between processes carry plain bytes. */
const buffersOf = (made: object) =>
  Object.fromEntries(
    Object.entries(made).flatMap(([name, value]) => (value instanceof Uint8Array ? [[name, Buffer.from(value)]] : [])),
  )

/** Running work may finish within `graceMs`; the rest is aborted, and uploads are repeated by their clients. */
export async function stopPreviews(graceMs: number): Promise<void> {
  await Promise.race([queue.stop(), sleep(graceMs, undefined, { ref: false })])
  pool.stop()
}
