import type { BuildType, ProviderName } from '../../contract/sets.ts'

/** Where something reported by a tool belongs. */
export interface IntegrationContext {
  account_id: number
  project_id: number
  integration_id: number
  provider: ProviderName
  /** The project's engine, for builds that do not say theirs. */
  engine: string
  /** Asset types whose change asks for an approval; null takes the default. */
  approval_types: string[] | null
  config: Record<string, unknown>
}

/** What a build is that does not say it. */
export const buildTypeOf = (engine: string | undefined): BuildType =>
  engine === 'unreal' || engine === 'unity' ? engine : 'custom'
