import type { ProviderName } from '../../contract/sets.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { Json } from '../reading.ts'
import { streamOf } from './horde/server.ts'
import { pathsOfShelf } from './perforce/server.ts'
import { configurationOf } from './teamcity/server.ts'

/** Asks a server where something is that it knows by an id alone: for its place only, nothing of it is kept. */
type Owner = (
  config: Readonly<Json>,
  id: string,
  asked: { allowed: AllowedHosts; signal?: AbortSignal | undefined },
) => Promise<string[]>

export const OWNERS: Partial<Record<ProviderName, Owner>> = {
  teamcity: configurationOf,
  horde: streamOf,
  perforce: pathsOfShelf,
}
