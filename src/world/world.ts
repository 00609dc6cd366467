import { type Database, type Pool, raw, sql } from '../db/database.ts'
import { rememberNamed } from '../domain/accounts/forget-person.ts'
import type { Vault } from '../domain/privacy/secrets.ts'
import { LISTS, type List } from './fields.ts'
import { Load, type Touched } from './load.ts'
import type { Loaded } from './loaded.ts'
import { Restore } from './restore.ts'
import { Scanner } from './scanner.ts'
import { prepareInsertions, TABLES } from './tables.ts'
import { uncompressed } from './uncompressed.ts'

/** Fewer rows than this do not change PostgreSQL's plans. */
const ANALYZE_FROM = 1000

/** How many rows of each list are written. */
export type Progress = Partial<Record<List | 'rows', number>>

interface LoadSettings {
  vault: Vault
  /** For an export with secrets. */
  passphrase?: string | undefined
  onProgress?: (progress: Progress) => void
  /** Writes in the same transaction. */
  alongside?: (db: Database, loaded: Loaded, touched: Touched) => Promise<unknown>
}

/** The top-level keys of an export, instead of the lists that people write. */
const EXPORTED = ['export', 'rows']

/** A large file has no time limit. */
const UNLIMITED = { statementTimeout: 0 }

/** Creates the content of a world file, all of it or nothing. */
export async function loadWorld(db: Pool, input: AsyncIterable<Buffer | string>, settings: LoadSettings): Promise<Loaded> {
  const progress: Progress = {}
  const loaded = await insertWorld(db, input, {
    ...settings,
    onProgress(written) {
      Object.assign(progress, written)
      settings.onProgress?.(written)
    },
  })
  if (Object.values(progress).some((count) => count >= ANALYZE_FROM)) await analyze(db)
  return loaded
}

/** The same for callers that report it at once and analyze the tables afterwards. */
export function insertWorld(
  db: Pool,
  input: AsyncIterable<Buffer | string>,
  { vault, passphrase, onProgress, alongside }: LoadSettings,
): Promise<Loaded> {
  const progress: Progress = {}
  return db.transaction(async (db) => {
    // Standard input may pause.
    await db.execute(sql`set local idle_in_transaction_session_timeout = 0`)
    // No events: streams and outbound webhooks get nothing.
    await db.execute(sql`set local goldmaster.quiet = 'on'`)
    // Citus refuses to change a table that is on all servers after it used several connections to one of them.
    if (await db.isDistributed()) await db.execute(sql`set local citus.multi_shard_modify_mode = 'sequential'`)
    const load = new Load(db, vault, await prepareInsertions(db), (list, count) => {
      progress[list] = (progress[list] ?? 0) + count
      onProgress?.(progress)
    })
    const restore = new Restore(db, vault, passphrase)
    const scanner = new Scanner([...LISTS, ...EXPORTED])
    for await (const chunk of uncompressed(input))
      for (const element of scanner.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) {
        const { list, index, value, bytes } = element
        if (list === 'export') await restore.begin(value)
        else if (list === 'rows') {
          await restore.add(index, value, bytes)
          progress.rows = index + 1
          onProgress?.(progress)
        } else {
          if (!load.hasRoomFor(element)) await load.flush()
          load.add(element)
        }
      }
    scanner.end()
    const restored = await restore.finish()
    const loaded = { ...(await load.finish()), ...restored }
    const accounts = Object.values(loaded.accounts).map(({ id }) => id)
    for (const id of accounts) load.touched.account_ids.add(id)
    await rememberNamed(db, accounts)
    await alongside?.(db, loaded, load.touched)
    return loaded
  }, UNLIMITED)
}

/** Best effort: PostgreSQL would analyze by itself a little later. */
export const analyze = (db: Pool) =>
  db.transaction((db) => db.execute(sql`analyze ${raw([...TABLES, 'task_labels'].join(', '))}`), UNLIMITED).catch(() => {})
