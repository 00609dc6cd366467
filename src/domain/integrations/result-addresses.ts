import { type Database, sql } from '../../db/database.ts'
import { sealedIn, type Vault } from '../privacy/secrets.ts'
import type { IntegrationContext } from './context.ts'
import { type Subject, WRITES } from './write-backs.ts'

const placeOf = (id: number) => sealedIn('result_addresses', id, 'address_sealed')

/** Where a tool wants the result of what it reported. Whoever has the address may set the result, so it is only kept if one is written. */
export const keep = (
  db: Database,
  vault: Vault,
  { account_id, integration_id }: IntegrationContext,
  { subject, address }: { subject: string; address: string },
) =>
  db.transaction(async (db) => {
    const kept = await db.one<{ id: number }>(sql`
      insert into result_addresses as r (account_id, integration_id, subject)
      select i.account_id, i.id, ${subject} from integrations i where i.account_id = ${account_id} and i.id = ${integration_id} and ${WRITES}
      on conflict (account_id, integration_id, subject) do update set updated_at = now() returning id`)
    if (!kept) return
    await db.execute(sql`
      update result_addresses set address_sealed = ${vault.seal(address, placeOf(kept.id))} where account_id = ${account_id} and id = ${kept.id}`)
  })

export async function find(db: Database, vault: Vault, { account_id, integration_id, subject }: Subject) {
  const found = await db.one<{ id: number; sealed: string }>(sql`
    select id, address_sealed as sealed from result_addresses
    where account_id = ${account_id} and integration_id = ${integration_id} and subject = ${subject} and address_sealed <> ''`)
  return found && vault.open(found.sealed, placeOf(found.id))
}
