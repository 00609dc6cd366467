import { ApiError } from '../contract/errors.ts'
import type { Database } from '../db/database.ts'
import * as log from '../domain/delivery-log.ts'
import { deliver, refuse } from './deliver.ts'
import { Unreadable } from './facts.ts'
import { deliveryOf, unread } from './ingest.ts'
import type { Delivered } from './keep.ts'
import { providers } from './providers/index.ts'

/** Takes a stored delivery in once more: what it says is read by the code of today and recorded as if it came now. */
export async function replay(db: Database, id: number): Promise<Delivered> {
  const stored = await log.stored(db, id)
  if (stored.body === null) throw new ApiError(410, 'body_gone', 'The body of this delivery is no longer kept.')
  const provider = providers[stored.provider]
  try {
    return await deliver(db, stored, provider, deliveryOf(stored, stored.body), id)
  } catch (error) {
    throw error instanceof Unreadable
      ? await refuse(db, stored, provider, unread(stored, stored.body), 422, error.message, id)
      : error
  }
}
