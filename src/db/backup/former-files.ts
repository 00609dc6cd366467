import type pg from 'pg'
import type { FileStore } from '../database.ts'
import { fileKey } from '../file-key.ts'

/** The files that the rows of a database refer to, by their keys; none before its schema had any. */
export async function filesIn(client: pg.Client): Promise<Set<string>> {
  const { rows: known } = await client.query(`select from pg_class where oid = to_regclass('file_contents')`)
  if (known.length === 0) return new Set()
  const { rows } = await client.query<{ account_id: number; sha256: Buffer }>('select account_id, sha256 from file_contents')
  return new Set(rows.map(({ account_id, sha256 }) => fileKey(account_id, sha256)))
}

/** Removes files of data that was replaced: no row would ever lead a sweep to them. Those of the new data stay, in the backup or not. */
export async function removeFormer(client: pg.Client, files: FileStore, former: ReadonlySet<string>): Promise<void> {
  if (former.size === 0) return
  const kept = await filesIn(client)
  for (const key of former) if (!kept.has(key)) await files.remove(key)
}
