import type { SerializedError } from '../../contract/errors.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import type { Request } from '../receive.ts'

/**
 * Large bodies are verified, parsed and recorded in processes of their own: parsing one here would keep everybody else waiting, and
 * one that takes more memory than there is would end the service.
 */
export type HeavyJob = { databaseUrl: string } & (
  | { kind: 'receive'; integration: IntegrationAuth; request: Omit<Request, 'raw'> }
  | { kind: 'ingest' | 'replay'; delivery_id: number }
  | { kind: 'show'; delivery_id: number; project_id: number | undefined }
)

export type HeavyAnswer =
  | { done: unknown }
  | { refused: { message: string; status: number; delivery_id: string } }
  | { failed: SerializedError }
  | { unreadable: string }
  | { broken: { message: string; code: string | undefined } }
