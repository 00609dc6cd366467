import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Pool } from '../db/database.ts'
import type { Jobs } from '../db/queue.ts'
import * as exports from '../domain/accounts/exports.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import { exportWorld } from './export.ts'

const gzipped = promisify(gzip)

/** The amount of text per chunk of the file. */
const CHUNK = 2 ** 20

/** Writes a requested export into the database. If a worker stops, the next one starts over. */
export async function writeExport(
  { db, vault }: { db: Pool; vault: Vault },
  requested: Jobs['write_export'],
  signal?: AbortSignal,
): Promise<void> {
  const { account_id, export_id: id } = requested
  const begun = await exports.begin(db, vault, requested)
  if (!begun) return
  const { scope, audience, passphrase } = begun
  let [text, bytes, rows] = ['', 0, 0]
  const flush = async () => {
    const body = await gzipped(text, { level: 4 })
    text = ''
    await exports.append(db, account_id, id, bytes, body, rows)
    bytes += body.length
  }
  const onProgress = (written: Record<string, number>) => {
    rows = Object.values(written).reduce((sum, count) => sum + count, 0)
  }
  try {
    await exportWorld(db, scope, { vault, passphrase, audience, onProgress }, async (part) => {
      signal?.throwIfAborted()
      text += part
      if (text.length >= CHUNK) await flush()
    })
    await flush()
    await exports.finish(db, account_id, id)
  } catch (error) {
    if (!signal?.aborted) await exports.fail(db, account_id, id)
    throw error
  }
}
