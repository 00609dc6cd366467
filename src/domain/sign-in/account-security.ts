import type { AppBody } from '../../contract/app/routes.ts'
import { ownSecondFactorMissing } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'
import { type Identity, known } from '../access/access.ts'
import { readAddresses, refuseWithoutOwn } from '../access/allowed-addresses.ts'
import { hasSecondFactor } from '../access/blocked.ts'
import * as accounts from '../accounts/accounts.ts'

/** Sets the allowed addresses and the required second factor, which the caller must meet, and how artifacts are shared. */
export async function editSecurity(
  db: Database,
  id: number,
  by: Identity,
  { allowed_addresses, requires_second_factor, ...sharing }: AppBody<'editAccountSecurity'>,
): Promise<void> {
  const ranges = allowed_addresses === undefined ? undefined : readAddresses(allowed_addresses ?? [])
  if (ranges !== undefined) refuseWithoutOwn(ranges, by.address)
  if (requires_second_factor) {
    const { has } = (await db.one<{ has: boolean }>(
      sql`select ${hasSecondFactor('t', sql`a.id`)} as has from (${known(by)}) t, accounts a where a.id = ${id}`,
    ))!
    if (!has) throw ownSecondFactorMissing()
  }
  await accounts.edit(db, id, { allowed_addresses: ranges, requires_second_factor, ...sharing })
}
