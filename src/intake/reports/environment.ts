import { PLATFORMS, type Platform, platformOf } from '../../contract/sets.ts'
import { text } from '../reading.ts'

/** Stores in the names of deployment environments. */

/** The first name that matches a store: `steam`, `Google Play`, `ios`, `steam/beta`. */
export const storeOf = (...names: unknown[]): Platform =>
  names.map((name) => storeNamed(text(name) ?? '')).find((platform) => platform !== 'custom') ?? 'custom'

/** `beta` of `steam/beta`; an environment that is not a store is a track itself. */
export const trackIn = (environment: string, platform: Platform): string =>
  platform === 'custom' ? environment : environment.replace(/^[^/:]*[/:]?/, '')

function storeNamed(name: string): Platform {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '_')
  const exact = platformOf(plain)
  return exact !== 'custom' ? exact : (PLATFORMS.find((platform) => plain.startsWith(`${platform}_`)) ?? 'custom')
}
