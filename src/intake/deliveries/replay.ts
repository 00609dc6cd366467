import { badSignature, bodyGone } from '../../contract/errors.ts'
import type { Database, Pool } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { DeliveryKey } from '../../domain/integrations/deliveries.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { BODY_NOTES } from '../../domain/integrations/intake-usage.ts'
import { deliver, refuse } from '../deliver.ts'
import { LONG_STORED, replayHeavy } from '../heavy/heavy.ts'
import { deliveryOf, unread } from '../ingest.ts'
import type { Delivered } from '../persist.ts'
import { providers } from '../providers/index.ts'
import { Unreadable } from '../reading.ts'
import { rehearse } from './test-delivery.ts'

/** Processes a stored delivery again: it is parsed by the current code and recorded as if it arrived now; a test stays one. */
export async function replay(db: Pool, id: number, project?: ProjectKey): Promise<Delivered> {
  const { account_id, bytes, moved } = await log.locate(db, id, project)
  const delivery = { account_id, delivery_id: id }
  if ((bytes ?? 0) < LONG_STORED) return replayHere(db, delivery, moved)
  try {
    return await replayHeavy(db, delivery, moved)
  } catch (error) {
    throw error instanceof Unreadable ? await refuseReplay(db, await log.stored(db, delivery, moved), id, error) : error
  }
}

export async function replayHere(db: Database, delivery: DeliveryKey, moved?: Buffer): Promise<Delivered> {
  const id = delivery.delivery_id
  const stored = await log.stored(db, delivery, moved)
  if (stored.body === null) throw bodyGone()
  const lean = stored.body_note === 'log'
  if (stored.body_note !== null && !lean) throw bodyGone(BODY_NOTES[stored.body_note])
  // The sender is unknown.
  if (stored.requires_signature && stored.status === 401) throw badSignature()
  const again = stored.test ? rehearse : deliver
  try {
    return await again(db, stored, providers[stored.provider], { ...deliveryOf(stored, stored.body), lean }, id)
  } catch (error) {
    throw error instanceof Unreadable ? await refuseReplay(db, stored, id, error) : error
  }
}

const refuseReplay = (db: Database, stored: log.Stored, id: number, { message }: Unreadable) =>
  refuse(db, stored, providers[stored.provider], unread(stored, stored.body ?? Buffer.alloc(0)), 422, message, id)
