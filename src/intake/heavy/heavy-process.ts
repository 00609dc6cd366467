import { ApiError, badRequest, serializeError } from '../../contract/errors.ts'
import { openDatabase } from '../../db/database.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { OverBudget } from '../../net/budget.ts'
import { answerJobs } from '../../processes/child.ts'
import { Refused } from '../deliver.ts'
import { replayHere } from '../deliveries/replay.ts'
import { ingestHere } from '../ingest.ts'
import { Unreadable } from '../reading.ts'
import { receive } from '../receive.ts'
import { readTestFiles } from '../test-results/read-files.ts'
import { recordUpload } from '../test-results/record-upload.ts'
import type { HeavyAnswer, HeavyJob } from './messages.ts'

/** Twenty thousand files take longer than a normal statement timeout. */
const STATEMENT_MS = 60_000

/** Of an upload of test results: every shard of a large studio's job together. Leaves time to record them. */
const WHOLE = { bytes: 128 * 1024 * 1024, values: 200_000, pages: 0, seconds: 60 }

async function work(job: HeavyJob, body: Buffer): Promise<unknown> {
  const db = openDatabase(job.databaseUrl, { max: 1, statementTimeout: STATEMENT_MS })
  const moved = body.length > 0 ? body : undefined
  try {
    switch (job.kind) {
      case 'receive':
        return await receive(db, job.integration, { ...job.request, raw: body })
      case 'tests':
        return await recordUpload(db, job.integration, job.upload, await readTestFiles(body, job.upload.contentType, WHOLE))
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
    if (error instanceof OverBudget) return { failed: serializeError(badRequest(error.message, error.statusCode)) }
    if (error instanceof Unreadable) return { unreadable: error.message }
    return { broken: { message: (error as Error).message, code: (error as NodeJS.ErrnoException).code } }
  }
}

answerJobs(answerTo)
