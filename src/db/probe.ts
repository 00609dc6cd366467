import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openClient } from './hosts.ts'

/** How long the database has for its answer, which takes a new connection. */
export const PROBE_MS = 1_500
/** Every connection is taken: it answers, if only that. */
const TOO_MANY_CONNECTIONS = '53300'

/**
 * Asks whether the database answers, on a connection outside of every pool: those of a pool may all wait for something, or for this
 * process. Who asks while another asks gets the same answer.
 */
export function openProbe(url: string): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined
  return () => {
    asking ??= ask(url).finally(() => {
      asking = undefined
    })
    return asking
  }
}

async function ask(url: string): Promise<boolean> {
  const client = openClient(url, { application_name: 'goldmaster probe' })
  client.on('error', () => {})
  const answer = client
    .connect()
    .then(() => client.query('select 1'))
    .then(
      () => true,
      (error: { code?: string }) => error.code === TOO_MANY_CONNECTIONS,
    )
  const isAnswered = await Promise.race([answer, patience()])
  if (isAnswered) void client.end().catch(() => {})
  else (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy()
  return isAnswered
}

/** Once longer if this process is too busy to read an answer in time. */
async function patience(): Promise<false> {
  if (await reach(performance.now() + PROBE_MS)) await reach(performance.now() + PROBE_MS)
  return false
}

/** A timer that is later than this shows that this process gets too little of the processor. */
const LATE_MS = 250

/**
 * Resolves at a time of this process's clock, after everything that has arrived by then was read. True if this process was too busy to be
 * there in time.
 */
export async function reach(time: number): Promise<boolean> {
  await sleep(Math.max(0, time - performance.now()), undefined, { ref: false })
  const isLate = performance.now() - time > LATE_MS
  await new Promise(setImmediate)
  return isLate
}
