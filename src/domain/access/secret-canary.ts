import { type Database, sql } from '../../db/database.ts'
import { Vault } from './secrets.ts'

/** Refuses a secret key that cannot open what this database holds; the first start seals a canary to tell by. */
export async function verifySecret(db: Database, secret: string): Promise<void> {
  const vault = new Vault(secret)
  const found = await db.one<{ sealed: string }>(sql`select sealed from secret_canary`)
  // A database from before the canary is judged by the tokens it holds.
  const sealed = found ?? (await db.one<{ sealed: string }>(SEALED_BEFORE))
  if (sealed && !opens(vault, sealed.sealed))
    throw new Error(
      'SECRET_KEY is not the key that this database was set up with: start with that one (without SECRET_KEY it is kept in DATA_DIR/secret-key).',
    )
  if (found) return
  await db.execute(sql`insert into secret_canary (sealed) values (${vault.seal('canary')}) on conflict do nothing`)
  // Two nodes that make their first start together with different keys: one of them is wrong.
  await verifySecret(db, secret)
}

const SEALED_BEFORE = sql`
  select token_sealed as sealed from integrations where token_sealed <> '' limit 1`

function opens(vault: Vault, sealed: string): boolean {
  try {
    vault.open(sealed)
    return true
  } catch {
    return false
  }
}
