import { randomUUID } from 'node:crypto'
import type { Database } from '../../db/database.ts'
import type { IntegrationContext } from '../../domain/integrations/context.ts'
import * as store from '../../domain/integrations/write-backs.ts'
import type { JobContext } from '../job-context.ts'
import type { Located } from '../provider.ts'
import { Refused } from '../providers/ci-replies.ts'
import { isOurRefusal, NotListed } from '../reach/reach.ts'

export type Outside = Pick<JobContext, 'db' | 'vault' | 'allowed'>

/** Seconds until a job looks again at what another job is writing. */
export const BUSY_S = 2

/** Refusals that are about the record, not about the permissions. */
export const unlessRefusedWith = (statuses: readonly number[]) => (error: unknown) => {
  if (!(error instanceof Refused && statuses.includes(error.status ?? 0))) throw error
}

/** Not at all after a refusal of a place that the settings or a lead name, until somebody checks again; a login that is refused is so everywhere. */
export async function pauseIfOurs(
  db: Database,
  integration: Pick<IntegrationContext, 'account_id' | 'integration_id' | 'provider' | 'config'>,
  located: Located,
  error: unknown,
) {
  // Whoever has the webhook token can name a place that we have no permissions in.
  if (error instanceof NotListed) return
  if (!(error instanceof Refused)) throw error
  if (await isOurRefusal(db, integration, located, error)) await store.pauseWriteBack(db, integration, error.message)
}

const RENEW_MS = (1000 * store.CLAIM_SECONDS) / 3

/** Writes while no other job does. False if another job is writing it. */
export async function claimed(
  db: Database,
  subject: store.Subject,
  work: (written: store.Written, claim: store.Claim) => Promise<unknown>,
): Promise<boolean> {
  const claim = { ...subject, token: randomUUID() }
  const written = await store.claim(db, claim)
  if (!written) return false
  // Looking for a comment may take longer than a claim lasts.
  const renewal = setInterval(() => void store.renew(db, claim).catch(() => {}), RENEW_MS)
  try {
    await work(written, claim)
    return true
  } catch (error) {
    if (error instanceof store.ClaimLost) return false
    throw error
  } finally {
    clearInterval(renewal)
    await store.release(db, claim)
  }
}
