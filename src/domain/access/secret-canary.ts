import { type Database, sql } from '../../db/database.ts'
import { sealedIn, Vault } from '../privacy/secrets.ts'

const PLACE = 'secret_canary'

/** Refuses secret keys that cannot decrypt the data of this database; the first start seals a canary for this check. */
export async function verifySecret(db: Database, vault: Vault): Promise<void> {
  const found = await db.one<{ sealed: string }>(sql`select sealed from secret_canary`)
  // A database without a canary is checked by its encrypted tokens.
  const sealed = found ? { ...found, place: PLACE } : await sealedBefore(db)
  if (sealed && !opens(vault, sealed))
    throw new Error(
      'SECRET_KEY is not the key that this database was set up with: start with that one (without SECRET_KEY it is kept in DATA_DIR/secret-key), or name it in SECRET_KEY_PREVIOUS beside a new one.',
    )
  if (found) return
  await db.execute(sql`insert into secret_canary (sealed) values (${vault.seal('canary', PLACE)}) on conflict do nothing`)
  // If two nodes make their first start at once with different keys, one of them is wrong.
  await verifySecret(db, vault)
}

/** From now on a start needs the current key. */
export const resealCanary = (db: Database, vault: Vault) =>
  db.execute(sql`update secret_canary set sealed = ${vault.seal('canary', PLACE)}`)

/** Whether a former key is no longer needed because a rotation has finished. */
export async function isRotated(db: Database, vault: Vault): Promise<boolean> {
  const found = await db.one<{ sealed: string }>(sql`select sealed from secret_canary`)
  return found !== undefined && vault.isCurrent(found.sealed)
}

async function sealedBefore(db: Database) {
  const found = await db.one<{ id: number; sealed: string }>(
    sql`select id, token_sealed as sealed from integrations where token_sealed <> '' limit 1`,
  )
  return found && { sealed: found.sealed, place: sealedIn('integrations', found.id, 'token_sealed') }
}

/** Whether a canary was sealed with this key. */
export const isSealedWith = (secret: string, canary: string) => opens(new Vault(secret), { sealed: canary, place: PLACE })

function opens(vault: Vault, { sealed, place }: { sealed: string; place: string }): boolean {
  try {
    vault.open(sealed, place)
    return true
  } catch {
    return false
  }
}
