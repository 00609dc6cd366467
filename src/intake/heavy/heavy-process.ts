import { once } from 'node:events'
import { setPriority } from 'node:os'
import { ApiError, serializeError } from '../../contract/errors.ts'
import { openDatabase } from '../../db/database.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { Refused } from '../deliver.ts'
import { ingestHere } from '../ingest.ts'
import { Unreadable } from '../provider.ts'
import { receive } from '../receive.ts'
import { replayHere } from '../replay.ts'
import type { HeavyAnswer, HeavyJob } from './messages.ts'

/** Twenty thousand files take longer than a normal statement timeout. */
const STATEMENT_MS = 60_000
/** Small reads and writes have priority. */
const NICE = 5

async function work(job: HeavyJob, body: Buffer): Promise<unknown> {
  const db = openDatabase(job.databaseUrl, { max: 1, statementTimeout: STATEMENT_MS })
  const moved = body.length > 0 ? body : undefined
  try {
    switch (job.kind) {
      case 'receive':
        return await receive(db, job.integration, { ...job.request, raw: body })
      case 'ingest':
        return await ingestHere(db, job.delivery)
      case 'replay':
        return await replayHere(db, job.delivery, moved)
      case 'show':
        return await log.show(db, job.delivery, moved)
    }
  } finally {
    await db.close()
  }
}

async function answerTo(job: HeavyJob, body: Buffer): Promise<HeavyAnswer> {
  try {
    return { done: await work(job, body) }
  } catch (error) {
    if (error instanceof Refused) {
      const { message, status, delivery_id } = error
      return { refused: { message, status, delivery_id } }
    }
    if (error instanceof ApiError) return { failed: serializeError(error) }
    if (error instanceof Unreadable) return { unreadable: error.message }
    return { broken: { message: (error as Error).message, code: (error as NodeJS.ErrnoException).code } }
  }
}

async function readBytes(bytes: number): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(bytes)
  for (let filled = 0; filled < bytes; ) {
    const chunk = process.stdin.read() as Buffer | null
    if (chunk === null) await once(process.stdin, 'readable')
    else filled += chunk.copy(body, filled)
  }
  return body
}

process.on('message', async ({ job, bytes }: { job: HeavyJob; bytes: number }) => {
  process.send!(await answerTo(job, await readBytes(bytes)))
})
// The service decides when its work ends, even if a signal reaches the whole process group.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())
try {
  setPriority(NICE)
} catch {
  // Not every system allows a lower priority.
}
