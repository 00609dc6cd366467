import type { Pool } from '../db/database.ts'
import * as webhooks from '../domain/integrations/webhook-access.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import { noteHandshake, refuse } from './deliver.ts'
import type { Handshake } from './provider.ts'
import { providers } from './providers/index.ts'
import type { Request } from './receive.ts'

const UNEXPECTED =
  'No handshake is expected. Allow one within the next hour with: goldmaster admin integration handshake, and set the webhook up again.'

/** A first contact, logged like every delivery. A secret is accepted only while one is expected: it gives access to the integration. */
export async function acceptHandshake(
  db: Pool,
  vault: Vault,
  integration: webhooks.IntegrationAuth,
  request: Request,
  { secret }: Handshake,
) {
  const provider = providers[integration.provider]
  const delivery = { ...request, config: integration.config, body: undefined }
  const accepted = await db.transaction(async (db) => {
    if (secret !== undefined && !(await webhooks.addSecret(db, vault, integration.integration_id, secret))) return false
    await noteHandshake(
      db,
      integration,
      provider,
      delivery,
      secret === undefined ? 'The first contact was answered.' : 'A signing secret was handed over.',
    )
    return true
  })
  if (!accepted) throw await refuse(db, integration, provider, delivery, 401, UNEXPECTED)
}
