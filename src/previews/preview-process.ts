import { answerJobs } from '../processes/child.ts'
import { type GivenFile, type Made, NoPreview } from './made.ts'
import { readFile } from './read-file.ts'

/** Memory of this process, decoded pixels included: the limit of V8's heap does not count them. */
const MEMORY_MAX = 1_000_000_000
const WATCH_MS = 100

async function make(file: GivenFile, bytes: Buffer): Promise<Made> {
  try {
    return await readFile(file, bytes)
  } catch (error) {
    // Readers of files fail in many ways, and their messages are about bytes.
    if (error instanceof NoPreview) return { reason: error.message }
    const isLate = /^timeout/.test((error as Error).message)
    return { reason: isLate ? 'Making a preview of this file takes too long.' : 'The file is damaged or cut off.' }
  }
}

answerJobs(make)
setInterval(() => {
  if (process.memoryUsage.rss() > MEMORY_MAX) process.exit(1)
}, WATCH_MS).unref()
