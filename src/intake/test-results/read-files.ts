import { createHash } from 'node:crypto'
import { unreadableReport } from '../../contract/errors.ts'
import type { TestFile } from '../../domain/tests/record.ts'
import { readReport } from '../../test-results/read-report.ts'
import { UnreadableReport } from '../../test-results/test-case.ts'
import { filesIn, type UploadedFile } from './multipart.ts'

/** The reports of a body: one file, or several as `multipart/form-data`. None is accepted unless all can be read. */
export async function readTestFiles(body: Buffer, contentType: string): Promise<TestFile[]> {
  const files = /^multipart\/form-data/i.test(contentType) ? filesIn(body, contentType) : [{ name: '', bytes: body }]
  const read: TestFile[] = []
  for (const file of files) read.push(await readFile(file))
  return read
}

async function readFile({ name, bytes }: UploadedFile): Promise<TestFile> {
  try {
    return { digest: createHash('sha256').update(bytes).digest(), report: await readReport(bytes) }
  } catch (error) {
    if (error instanceof UnreadableReport) throw unreadableReport(name, error.message)
    throw error
  }
}
