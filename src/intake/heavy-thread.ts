import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../db/database.ts'
import { Refused } from './deliver.ts'
import type { HeavyAnswer, HeavyWork } from './heavy.ts'
import { takeIn } from './take-in.ts'

/** Twenty thousand files take longer than a request usually may. */
const STATEMENT_MS = 60_000

const { databaseUrl, door, request } = workerData as HeavyWork
const { buffer, byteOffset, byteLength } = request.raw
const db = openDatabase(databaseUrl, { max: 1, statementTimeout: STATEMENT_MS })

const answer = await takeIn(db, door, { ...request, raw: Buffer.from(buffer, byteOffset, byteLength) }).then(
  (taken): HeavyAnswer => ({ taken }),
  (error): HeavyAnswer =>
    error instanceof Refused
      ? { refused: { message: error.message, status: error.status, delivery_id: error.delivery_id } }
      : { failed: { message: (error as Error).message, code: (error as NodeJS.ErrnoException).code } },
)
parentPort!.postMessage(answer)
await db.close()
