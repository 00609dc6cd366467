import { ApiError, serializeError } from '../../contract/errors.ts'
import { openDatabase } from '../../db/database.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { answerJobs } from '../../processes/child.ts'
import { Refused } from '../deliver.ts'
import { ingestHere } from '../ingest.ts'
import { Unreadable } from '../reading.ts'
import { receive } from '../receive.ts'
import { replayHere } from '../replay.ts'
import type { HeavyAnswer, HeavyJob } from './messages.ts'

/** Twenty thousand files take longer than a normal statement timeout. */
const STATEMENT_MS = 60_000

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

answerJobs(answerTo)
