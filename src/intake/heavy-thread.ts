import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../db/database.ts'
import { Refused } from './deliver.ts'
import type { HeavyAnswer, HeavyWork } from './heavy.ts'
import { ingestHere } from './ingest.ts'
import { takeIn } from './take-in.ts'

/** Twenty thousand files take longer than a request usually may. */
const STATEMENT_MS = 60_000

const work = workerData as HeavyWork
const db = openDatabase(work.databaseUrl, { max: 1, statementTimeout: STATEMENT_MS })

async function done(): Promise<HeavyAnswer> {
  if ('delivery_id' in work) {
    await ingestHere(db, work.delivery_id)
    return { ingested: true }
  }
  const { buffer, byteOffset, byteLength } = work.request.raw
  return { taken: await takeIn(db, work.door, { ...work.request, raw: Buffer.from(buffer, byteOffset, byteLength) }) }
}

const answer = await done().catch(
  (error): HeavyAnswer =>
    error instanceof Refused
      ? { refused: { message: error.message, status: error.status, delivery_id: error.delivery_id } }
      : { failed: { message: (error as Error).message, code: (error as NodeJS.ErrnoException).code } },
)
parentPort!.postMessage(answer)
await db.close()
