import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'

/** What a tool answered to the same request of the night before. */
export interface KnownReply {
  request: string
  etag: string
  /** The cursor of the page after it. */
  next: Record<string, unknown> | null
}

/** Of an integration, by request. */
export async function known(db: Database, { account_id, id }: RecordKey): Promise<ReadonlyMap<string, KnownReply>> {
  const rows = await db.rows<KnownReply>(sql`
    select request, etag, next from import_etags where account_id = ${account_id} and integration_id = ${id}`)
  return new Map(rows.map((row) => [row.request, row]))
}

/** In the transaction that stores what was read: a reply that was not stored must be read again. */
export const keep = (db: Database, { account_id, id }: RecordKey, replies: readonly KnownReply[]) =>
  db.execute(sql`
    insert into import_etags (account_id, integration_id, request, etag, next)
    select ${account_id}, ${id}, request, etag, next
    from jsonb_to_recordset(${JSON.stringify(replies)}::jsonb) as r (request text, etag text, next jsonb)
    on conflict (account_id, integration_id, request) do update set etag = excluded.etag, next = excluded.next, read_at = now()`)

/** What an undo deleted is read again. */
export const forget = (db: Database, { account_id, id }: RecordKey) =>
  db.execute(sql`delete from import_etags where account_id = ${account_id} and integration_id = ${id}`)
