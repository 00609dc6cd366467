import type { Database } from '../../db/database.ts'
import { enqueue } from '../../db/queue.ts'
import { asking, type IntegrationContext } from '../../domain/integrations/context.ts'

/** One job of an integration at a time: what arrives meanwhile is among its work. */
export const fetchSoon = (db: Database, context: IntegrationContext) =>
  enqueue(
    db,
    'fetch_previews',
    { account_id: context.account_id, integration_id: context.integration_id },
    { ...asking(context), name: `fetch_previews:${context.integration_id}` },
  )
