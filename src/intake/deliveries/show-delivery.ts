import type { Pool } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import * as log from '../../domain/integrations/delivery-log.ts'
import { LONG_STORED, showHeavy } from '../heavy/heavy.ts'

/** A delivery as people may see it; a large body is scrubbed in another process, where nobody waits for it. */
export async function showDelivery(db: Pool, id: number, project?: ProjectKey): Promise<log.Shown> {
  const { account_id, bytes, moved } = await log.locate(db, id, project)
  const delivery = { account_id, delivery_id: id }
  if ((bytes ?? 0) < LONG_STORED) return log.show(db, delivery, moved)
  return showHeavy(db, delivery, moved)
}
