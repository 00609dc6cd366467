import { overloaded } from '../../contract/errors.ts'
import type { Pool } from '../../db/database.ts'
import { Gate } from '../../db/gate.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { OverBudget } from '../../net/budget.ts'
import { admit } from '../admission.ts'
import { receiveTestsHeavy } from '../heavy/heavy.ts'
import { readTestFiles } from './read-files.ts'
import { recordUpload, type TestUpload, type UploadOutcome } from './record-upload.ts'

/** What is read here, in slices of a few milliseconds: the results of most jobs. Larger uploads are read in another process. */
const LIGHT = { bytes: 1024 * 1024, values: 5_000, pages: 0, seconds: 10 }

const READING = new Gate({ atOnce: 1, timeout: 30_000, refusal: () => overloaded(10) })

/** Reads and records the test results of a build. An upload that has arrived is recorded even if its sender has left. */
export async function receiveTests(
  db: Pool,
  integration: IntegrationAuth,
  upload: TestUpload,
  raw: Buffer,
): Promise<UploadOutcome> {
  const { account_id } = integration
  if (raw.length > LIGHT.bytes) return receiveTestsHeavy(db, integration, upload, raw)
  try {
    const files = await READING.enter(account_id, () => readTestFiles(raw, upload.contentType, LIGHT))
    return await admit(db, account_id, () => recordUpload(db, integration, upload, files))
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error
    return receiveTestsHeavy(db, integration, upload, raw)
  }
}
