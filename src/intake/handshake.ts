import type { Pool } from '../db/database.ts'
import type { Vault } from '../domain/access/secrets.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import { noteHandshake, refuse } from './deliver.ts'
import type { Handshake } from './facts.ts'
import { providers } from './providers/index.ts'
import type { Request } from './take-in.ts'

const UNEXPECTED =
  'No handshake is expected. Allow one within the next hour with: goldmaster admin integration handshake, and set the webhook up again.'

/** A first contact, logged like everything a tool says. A secret is taken only while one is expected: it opens the integration. */
export async function acceptHandshake(db: Pool, vault: Vault, door: webhooks.Door, request: Request, { secret }: Handshake) {
  const provider = providers[door.provider]
  const delivery = { ...request, config: door.config, body: undefined }
  const accepted = await db.transaction(async (db) => {
    if (secret !== undefined && !(await webhooks.addSecret(db, vault, door.integration_id, secret))) return false
    await noteHandshake(
      db,
      door,
      provider,
      delivery,
      secret === undefined ? 'The first contact was answered.' : 'A signing secret was handed over.',
    )
    return true
  })
  if (!accepted) throw await refuse(db, door, provider, delivery, 401, UNEXPECTED)
}
