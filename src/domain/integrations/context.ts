import type { ApprovalRule } from '../../contract/app/shapes.ts'
import type { BuildType, ProviderName } from '../../contract/sets.ts'

/** Where something reported by a tool belongs. */
export interface IntegrationContext {
  account_id: number
  project_id: number
  integration_id: number
  provider: ProviderName
  /** The project's engine, for builds that do not say theirs. */
  engine: string
  /** Which versions of assets ask for an approval; null takes the usual rule. */
  approval_rules: ApprovalRule[] | null
  config: Record<string, unknown>
}

/** What a build is that does not say it. */
export const buildTypeOf = (engine: string | undefined): BuildType =>
  engine === 'unreal' || engine === 'unity' ? engine : 'custom'
