import type { Pool } from '../db/database.ts'
import * as log from '../domain/integrations/delivery-log.ts'
import { LONG_STORED, showHeavy } from './heavy/heavy.ts'

/** A delivery as people may see it; a large body is scrubbed in another process, where nobody waits for it. */
export async function showDelivery(db: Pool, id: number, projectId?: number): Promise<log.Shown> {
  const { account_id, bytes, moved } = await log.locate(db, id, projectId)
  const looked = { project_id: projectId, moved }
  if ((bytes ?? 0) < LONG_STORED) return log.show(db, id, looked)
  return showHeavy(db, { account_id, delivery_id: id }, looked)
}
