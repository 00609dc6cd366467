import type { Door } from '../../domain/integrations/webhook-access.ts'
import type { Request } from '../take-in.ts'

/**
 * Large bodies are verified, parsed and recorded in processes of their own: parsing one here would keep everybody else waiting, and
 * one that takes more memory than there is would end the service.
 */
export type HeavyJob = { databaseUrl: string } & (
  | { kind: 'receive'; door: Door; request: Omit<Request, 'raw'> }
  | { kind: 'ingest' | 'replay'; delivery_id: number }
  | { kind: 'show'; delivery_id: number; project_id: number | undefined }
)

export type HeavyAnswer =
  | { done: unknown }
  | { refused: { message: string; status: number; delivery_id: string } }
  | { failed: { status: number; code: string; message: string; extra: Record<string, unknown>; headers: Record<string, string> } }
  | { unreadable: string }
  | { broken: { message: string; code: string | undefined } }
