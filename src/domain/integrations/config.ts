import { invalidParameter } from '../../contract/errors.ts'
import { saying, text } from '../../contract/field-readers.ts'
import { KEPT_SECRET } from '../../contract/sets.ts'
import { isSealed } from '../access/key-rotation.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'

type Config = Record<string, unknown>

/** Settings with credentials for external servers: stored encrypted, decrypted only where they are used. */
const SECRET = ['password', 'api_token']
/** Settings that affect neither the receiver nor the user of a secret. Any other may, including future ones. */
const HARMLESS = ['charset', 'branches', 'depot_paths', 'merge_accounts', 'done_state', 'start_parameters']

export const isSecret = (name: string) => SECRET.includes(name)
/** Whether a stored secret is only valid with this value of the setting. */
export const bindsSecrets = (name: string) => !isSecret(name) && !HARMLESS.includes(name)

const placeOf = (integrationId: number, name: string) => sealedIn('integrations', integrationId, `config.${name}`)

const change = (config: Config, convert: (value: unknown, name: string) => unknown): Config =>
  Object.fromEntries(Object.entries(config).map(([name, value]) => [name, isSecret(name) ? convert(value, name) : value]))

const secret = saying('must be text and not empty', text(undefined, 1))

/** The stored form. Only text is sealed: our own sealed form in a request would be somebody's leaked secret. */
export function sealConfig(vault: Vault, integrationId: number, config: Config): Config {
  if (typeof config.server === 'string' && /\/\/[^/?#]*@/.test(config.server))
    throw invalidParameter('config.server', 'must not hold a user or a password')
  return change(config, (value, name) => {
    if (value === null) return null
    return { sealed: vault.seal(secret(`config.${name}`, value), placeOf(integrationId, name)) }
  })
}

/** The stored form after an edit. A secret that is sent back as it was shown is kept, as long as it is sent to the same server and user. */
export function editConfig(vault: Vault, integrationId: number, stored: Config, config: Config): Config {
  const kept = SECRET.filter((name) => config[name] === KEPT_SECRET)
  const moved = [...new Set([...Object.keys(stored), ...Object.keys(config)])].find(
    (name) => bindsSecrets(name) && JSON.stringify(stored[name]) !== JSON.stringify(config[name]),
  )
  for (const name of kept) {
    if (stored[name] === undefined) throw invalidParameter(`config.${name}`, 'is not stored; give it')
    if (moved !== undefined) throw invalidParameter(`config.${name}`, `must be given again when ${moved} changes`)
  }
  const given = Object.fromEntries(Object.entries(config).filter(([name]) => !kept.includes(name)))
  return { ...sealConfig(vault, integrationId, given), ...Object.fromEntries(kept.map((name) => [name, stored[name]])) }
}

/** The decrypted form for a job. */
export const openConfig = (vault: Vault, { integration_id, config }: { integration_id: number; config: Config }): Config =>
  change(config, (value, name) => (isSealed(value) ? vault.open(value.sealed, placeOf(integration_id, name)) : value))

/** The form shown to people. */
export const shownConfig = (config: Config): Config => change(config, () => KEPT_SECRET)
