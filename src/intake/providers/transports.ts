import type { ProviderName } from '../../contract/sets.ts'
import type { Transport } from '../history/transport.ts'
import { perforce } from './perforce/server-history.ts'

/** Servers that are not asked over HTTP. Separate from the providers' declarations, which only read. */
export const transports: Partial<Record<ProviderName, Transport>> = { perforce }
