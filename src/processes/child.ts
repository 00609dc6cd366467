import { once } from 'node:events'
import { setPriority } from 'node:os'

/** Small requests of the service have priority. */
const NICE = 5

/** The other side of a pool: answers one piece of work after the other, until the service disconnects. */
export function answerJobs<Job, Answer>(work: (job: Job, body: Buffer) => Promise<Answer>) {
  process.on('message', async ({ job, bytes }: { job: Job; bytes: number }) => {
    process.send!(await work(job, await readBytes(bytes)))
  })
  // The service decides when its work ends, even if a signal reaches the whole process group.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
  try {
    setPriority(NICE)
  } catch {
    // Not every system allows a lower priority.
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
