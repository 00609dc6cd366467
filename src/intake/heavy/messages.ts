import type { SerializedError } from '../../contract/errors.ts'
import type { DeliveryKey } from '../../domain/integrations/deliveries.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import type { Request } from '../receive.ts'
import type { TestUpload } from '../test-results/record-upload.ts'

/**
 * Large bodies are verified, parsed and recorded in separate processes: parsing one here would block everybody else, and one that needs too
 * much memory would crash the service.
 */
export type HeavyJob = { databaseUrl: string } & (
  | { kind: 'receive'; integration: IntegrationAuth; request: Omit<Request, 'raw'> }
  | { kind: 'tests'; integration: IntegrationAuth; upload: TestUpload }
  | { kind: 'ingest' | 'replay' | 'show'; delivery: DeliveryKey }
)

export type HeavyAnswer =
  | { done: unknown }
  | { refused: { message: string; status: number; delivery_id: string } }
  | { failed: SerializedError }
  | { unreadable: string }
  | { broken: { message: string; code: string | undefined } }
