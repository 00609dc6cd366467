import { createHash } from 'node:crypto'
import { badRequest, unreadableReport } from '../../contract/errors.ts'
import type { TestFile } from '../../domain/tests/record.ts'
import { Budget, type Limits } from '../../net/budget.ts'
import { readReport } from '../../test-results/read-report.ts'
import { UnreadableReport } from '../../test-results/test-case.ts'
import { Unreadable } from '../reading.ts'
import { filesIn, type UploadedFile } from './multipart.ts'

/**
 * The reports of a body: one file, or several as `multipart/form-data`. None is accepted unless all can be read, and all of them together
 * stay within the limits.
 */
export async function readTestFiles(body: Buffer, contentType: string, limits: Limits): Promise<TestFile[]> {
  const budget = new Budget(limits)
  const read: TestFile[] = []
  for (const file of uploadedIn(body, contentType)) read.push(await readFile(file, budget))
  if (read.length === 0) throw badRequest('No file in the upload.', 422)
  return read
}

function uploadedIn(body: Buffer, contentType: string): UploadedFile[] {
  if (!/^multipart\/form-data/i.test(contentType)) return [{ name: '', bytes: body }]
  try {
    return filesIn(body, contentType)
  } catch (error) {
    throw error instanceof Unreadable ? badRequest(error.message, 422) : error
  }
}

async function readFile({ name, bytes }: UploadedFile, budget: Budget): Promise<TestFile> {
  try {
    const report = await readReport(bytes, (what, amount) => budget.spend(what, amount))
    return { digest: createHash('sha256').update(bytes).digest(), report }
  } catch (error) {
    if (error instanceof UnreadableReport) throw unreadableReport(name, error.message)
    throw error
  }
}
