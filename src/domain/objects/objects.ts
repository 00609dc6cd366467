import { createHash } from 'node:crypto'
import { objectLost, objectStoreAway } from '../../contract/errors.ts'
import { type Database, sql } from '../../db/database.ts'

/**
 * Values that were moved out of their rows: the body of a delivery (`body_object`), the log of a build (`log_object`). A row contains the
 * object's id. The key is only built here, from the id and the row's account: objects of another account cannot be addressed.
 */
export const keyOf = (accountId: number, id: string) => `${accountId}/${id}.gz`

export const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

export async function read(db: Database, accountId: number, id: string): Promise<Buffer> {
  const known = await db.one<{ bytes: number; sha256: Buffer }>(sql`
    select bytes, sha256 from stored_objects where id = ${id} and account_id = ${accountId}`)
  if (!known) throw objectLost()
  const bytes = await fetched(db, keyOf(accountId, id), known.bytes)
  if (bytes === undefined || !hashOf(bytes).equals(known.sha256)) throw objectLost()
  return bytes
}

async function fetched(db: Database, key: string, length: number): Promise<Buffer | undefined> {
  try {
    if (!db.objects) throw new Error('OBJECT_STORE_URL is not set, and objects were stored before.')
    return await db.objects.get(key, length)
  } catch (error) {
    throw objectStoreAway(error)
  }
}
