import type { Vault } from './secrets.ts'

type Config = Record<string, unknown>

/** Settings of an integration that open other people's servers: kept sealed, opened only where they are used. */
const SECRET = ['password', 'api_token']

const isSealed = (value: unknown): value is { sealed: string } =>
  typeof value === 'object' && value !== null && typeof (value as { sealed?: unknown }).sealed === 'string'

const change = (config: Config, convert: (value: unknown) => unknown): Config =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, SECRET.includes(name) ? convert(value) : value]))

/** As it is stored. */
export const sealConfig = (vault: Vault, config: Config): Config =>
  change(config, (value) => (typeof value === 'string' ? { sealed: vault.seal(value) } : value))

/** As a job needs it. */
export const openConfig = (vault: Vault, config: Config): Config =>
  change(config, (value) => (isSealed(value) ? vault.open(value.sealed) : value))

/** As people may see it. */
export const shownConfig = (config: Config): Config => change(config, () => '[kept secret]')
