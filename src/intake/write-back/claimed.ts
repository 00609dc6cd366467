import type { Database } from '../../db/database.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import type { JobContext } from '../job-context.ts'
import { Refused } from '../providers/ci-replies.ts'

export type Outside = Pick<JobContext, 'db' | 'vault' | 'allowed'>

/** Seconds until a job looks again at what another job is writing. */
export const BUSY_S = 2

/** Refusals that are about the record, not about the permissions. */
export const unlessRefusedWith = (statuses: readonly number[]) => (error: unknown) => {
  if (!(error instanceof Refused && statuses.includes(error.status ?? 0))) throw error
}

/** Writes while no other job does. False if another job is writing it. */
export async function claimed(
  db: Database,
  subject: store.Subject,
  work: (written: store.Written) => Promise<unknown>,
): Promise<boolean> {
  const written = await store.claim(db, subject)
  if (!written) return false
  try {
    await work(written)
  } finally {
    await store.release(db, subject)
  }
  return true
}
