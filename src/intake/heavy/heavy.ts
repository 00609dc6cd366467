import { setTimeout as sleep } from 'node:timers/promises'
import { deserializeError, stopping } from '../../contract/errors.ts'
import type { Pool } from '../../db/database.ts'
import type { DeliveryKey } from '../../domain/integrations/deliveries.ts'
import type { Shown } from '../../domain/integrations/delivery-log.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { FairQueue } from '../../processes/fair-queue.ts'
import { ProcessEnded, ProcessPool } from '../../processes/pool.ts'
import { Refused } from '../deliver.ts'
import type { Delivered } from '../persist.ts'
import { Unreadable } from '../reading.ts'
import type { Received, Request } from '../receive.ts'
import type { TestUpload, UploadOutcome } from '../test-results/record-upload.ts'
import type { HeavyAnswer, HeavyJob } from './messages.ts'

/** Bodies from this size on are parsed in another process, whatever they contain. */
export const LONG = 1024 * 1024
/** The same for a stored body, which is not inspected before. */
export const LONG_STORED = 64 * 1024

/** Two at a time; each has a body of up to 26 MiB and its parsed form in memory. The memory of those that wait is counted (`reserve`). */
const queue = new FairQueue(2, { most: 512, ofAccount: 128 })
/** The deadline: a single statement has a minute. */
const pool = new ProcessPool<HeavyJob, HeavyAnswer>({
  beside: import.meta.url,
  entry: 'heavy-process',
  heapMb: 512,
  deadlineMs: 180_000,
  // How to reach the database.
  environment: /^(?:PG[A-Z]+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/,
})

/** Processes of one node share its memory; called before the first request. */
export const shareHeavyProcesses = (processes: number) => queue.share(processes)

/** Like `receive`. */
export function receiveHeavy(db: Pool, integration: IntegrationAuth, { raw, ...request }: Request): Promise<Received> {
  return run<Received>(integration.account_id, { kind: 'receive', databaseUrl: db.url, integration, request }, raw)
}

/** Test results of a build. */
export const receiveTestsHeavy = (db: Pool, integration: IntegrationAuth, upload: TestUpload, raw: Buffer) =>
  run<UploadOutcome>(integration.account_id, { kind: 'tests', databaseUrl: db.url, integration, upload }, raw)

export const ingestHeavy = (db: Pool, delivery: DeliveryKey): Promise<void> =>
  run(delivery.account_id, { kind: 'ingest', databaseUrl: db.url, delivery })

/** A body that is not in its row is passed along: the other process has no object store. */
export const replayHeavy = (db: Pool, delivery: DeliveryKey, moved?: Buffer): Promise<Delivered> =>
  run(delivery.account_id, { kind: 'replay', databaseUrl: db.url, delivery }, moved)

export const showHeavy = (db: Pool, delivery: DeliveryKey, moved?: Buffer): Promise<Shown> =>
  run(delivery.account_id, { kind: 'show', databaseUrl: db.url, delivery }, moved)

async function run<T>(accountId: number, job: HeavyJob, body?: Buffer): Promise<T> {
  try {
    const answer = await queue.enter(accountId, () => pool.run(job, body))
    if ('done' in answer) return answer.done as T
    throw failureOf(answer)
  } catch (error) {
    if (!(error instanceof ProcessEnded)) throw error
    throw error.why !== 'crashed' ? stopping() : new Unreadable('Reading the body takes more memory than there is for one.')
  }
}

function failureOf(answer: Exclude<HeavyAnswer, { done: unknown }>): Error {
  if ('refused' in answer) return new Refused(answer.refused.message, answer.refused.status, Number(answer.refused.delivery_id))
  if ('unreadable' in answer) return new Unreadable(answer.unreadable)
  if ('broken' in answer) return Object.assign(new Error(answer.broken.message), { code: answer.broken.code })
  return deserializeError(answer.failed)
}

/**
 * Running work may finish within `graceMs`; waiting requests get a response at once, the rest is aborted: PostgreSQL rolls it back, and
 * without a response the tool retries it.
 */
export async function stopHeavy(graceMs: number): Promise<void> {
  await Promise.race([queue.stop(), sleep(graceMs, undefined, { ref: false })])
  pool.stop()
}
