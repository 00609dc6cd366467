import { appendFile, chmod, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Pool, sql } from '../../../src/db/database.ts'
import { type Embedded, startEmbedded } from '../../../src/db/embedded/embedded.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { folderFiles } from '../../../src/domain/files/file-store.ts'
import type { TestDatabase } from '../database.ts'

/** A separate built-in PostgreSQL, and a standby of it. */
export interface Pair {
  primary: TestDatabase
  /** A direct connection to the standby. */
  standby: Pool
  /** Pauses the standby's replay, or resumes it. */
  replay(does: 'pause' | 'resume'): Promise<void>
  /** Promotes the standby, permanently. */
  promote(): Promise<void>
  stopPrimary(): Promise<void>
  stopStandby(): Promise<void>
  startStandby(): Promise<void>
  close(): Promise<void>
}

export async function openPair(): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-pair-'))
  const [first, second] = [join(folder, 'first'), join(folder, 'second')]
  const made = await startEmbedded(first)
  await migrate(made.url)
  await made.stop()
  // Equivalent to a base backup of a stopped server. Started by root, the two belong to `nobody`, who needs access to the socket.
  await cp(first, second, { recursive: true })
  for (const path of [folder, first, second]) await chmod(path, 0o755)
  const leading = await startEmbedded(first)
  await appendFile(join(second, 'postgres', 'postgresql.auto.conf'), `primary_conninfo = '${leading.url}'\n`)
  await writeFile(join(second, 'postgres', 'standby.signal'), '')
  let following: Embedded | undefined = await startEmbedded(second)
  const db = openDatabase(leading.url, { files: folderFiles(join(folder, 'files')) })
  const standby = openDatabase(following.url, { max: 1 })
  const stopStandby = async () => {
    await following?.stop()
    following = undefined
  }
  return {
    primary: { db, url: leading.url, drop: async () => {} },
    standby,
    replay: async (does) =>
      void (await standby.one(does === 'pause' ? sql`select pg_wal_replay_pause()` : sql`select pg_wal_replay_resume()`)),
    promote: async () => void (await standby.one(sql`select pg_promote()`)),
    stopPrimary: leading.stop,
    stopStandby,
    async startStandby() {
      following = await startEmbedded(second)
    },
    async close() {
      await Promise.all([db.close(), standby.close()])
      await stopStandby()
      await leading.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
