import type { CheckoutProvider, ProviderName } from '../../contract/sets.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { Json } from '../reading.ts'
import type { CheckedOut } from './checked-out.ts'
import { openedIn } from './perforce/server-opened.ts'

type ReadCheckouts = (config: Readonly<Json>, path: string, context: { allowed: AllowedHosts }) => Promise<CheckedOut[]>

const readers: Record<CheckoutProvider, ReadCheckouts> = { perforce: openedIn }

/** Servers that know who has a file checked out. */
export const checkouts: Partial<Record<ProviderName, ReadCheckouts>> = readers
