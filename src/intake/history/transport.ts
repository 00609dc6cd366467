import type { IntegrationContext } from '../../domain/integrations/context.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { JobContext } from '../job-context.ts'
import type { Json } from '../reading.ts'

/** Reads the past of a server that has no HTTP API. */
export interface Transport {
  send(path: string, asked: { config: Readonly<Json>; allowed: AllowedHosts; signal?: AbortSignal | undefined }): Promise<unknown>
  /** Before the first page: stores what the reading of facts depends on. */
  prepare(context: JobContext, integration: IntegrationContext, config: Readonly<Json>, signal?: AbortSignal): Promise<void>
}
