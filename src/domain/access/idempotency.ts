import { createHash } from 'node:crypto'
import { invalidParameter } from '../../contract/errors.ts'
import { IDEMPOTENCY_KEY_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'

/** The same key from the same token within a day returns the first reply again; what `make` writes happens once. */
export function withIdempotencyKey<T extends object>(
  db: Database,
  tokenId: number,
  key: string,
  body: unknown,
  make: (db: Database) => Promise<T>,
): Promise<T> {
  if (key.length === 0 || key.length > IDEMPOTENCY_KEY_MAX)
    throw invalidParameter('Idempotency-Key', `must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`)
  const hash = createHash('sha256').update(JSON.stringify(body)).digest()
  return db.transaction(async (db) => {
    // A second request with the key waits here until the first has ended, then finds its row, or does the work itself if the first failed.
    const fresh = await db.one(sql`
      insert into idempotency_keys as k (token_id, key, body_hash) values (${tokenId}, ${key}, ${hash})
      on conflict (token_id, key) do update set body_hash = excluded.body_hash, reply = null, created_at = now()
        where k.created_at < now() - interval '24 hours'
      returning key`)
    if (fresh) {
      const reply = await make(db)
      await db.execute(sql`
        update idempotency_keys set reply = ${JSON.stringify(reply)}::json where token_id = ${tokenId} and key = ${key}`)
      return reply
    }
    const first = await db.one<{ body_hash: Buffer; reply: T }>(
      sql`select body_hash, reply from idempotency_keys where token_id = ${tokenId} and key = ${key}`,
    )
    if (!first?.body_hash.equals(hash)) throw invalidParameter('Idempotency-Key', 'was used before with another body')
    return first.reply
  })
}
