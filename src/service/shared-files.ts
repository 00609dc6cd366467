import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { folderId } from '../domain/files/file-store.ts'
import { findOtherFolder } from '../domain/operations/nodes.ts'
import type { Settings } from './environment.ts'

/**
 * The id of the folder with this node's files; null with an object store. A folder that other nodes don't share would hide their files, so
 * that nobody could open half of all attachments: the start is refused.
 */
export async function requireSharedFiles(
  { filesDir, objectStore }: Pick<Settings, 'filesDir' | 'objectStore'>,
  { db }: { db: Database },
  log: Logger,
): Promise<string | null> {
  if (objectStore) return null
  const id = await folderId(filesDir).catch((error: NodeJS.ErrnoException) => {
    log.warn({ folder: filesDir, error: error.message }, 'files cannot be attached: set FILES_DIR to a folder that is writable')
    return null
  })
  const other = id === null ? undefined : await findOtherFolder(db, id)
  if (other)
    throw new Error(
      `${other.host} runs too and keeps its files in another folder. Set OBJECT_STORE_URL, or FILES_DIR to a folder that all nodes share.`,
    )
  return id
}
