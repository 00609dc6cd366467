import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import type { BuildType, ProviderName } from '../../contract/sets.ts'

/** The integration and project of a tool's report. */
export interface IntegrationContext {
  account_id: number
  project_id: number
  integration_id: number
  provider: ProviderName
  /** The project's engine, for builds that report none. */
  engine: string
  /** Which asset versions need approval; null: the default rule. */
  approval_rules: ApprovalRule[] | null
  config: Record<string, unknown>
  /** Set if an import reports it, or about one of its records: it describes the past and concerns nobody. */
  import_id?: number | null
  /** Set if a delivery with a valid signature reports it. */
  signed?: boolean
}

export const isHistory = ({ import_id }: Pick<IntegrationContext, 'import_id'>): boolean => typeof import_id === 'number'

/** The type of a build that reports none. */
export const buildTypeOf = (engine: string | undefined): BuildType =>
  engine === 'unreal' || engine === 'unity' ? engine : 'custom'

/**
 * The account and server of a job that calls an integration's server. Servers are counted per account: another account's use of the same
 * host does not affect it.
 */
export const asking = ({ account_id, config }: Pick<IntegrationContext, 'account_id' | 'config'>) => {
  const server = typeof config.server === 'string' ? config.server : ''
  const origin = URL.canParse(server) && new URL(server).origin
  return {
    account_id,
    server: `${account_id} ${origin && origin !== 'null' ? origin : server.slice(0, 200)}`,
  }
}
