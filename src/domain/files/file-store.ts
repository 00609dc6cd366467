import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FileStore } from '../../db/database.ts'

/** How long an interrupted upload may stay. */
const PART_MS = 86_400_000
/** Folders of at most this many files each, by the first characters of the hash. */
const fileOf = (folder: string, key: string) => join(folder, key.replace(/\/(..)/, '/$1/$1'))

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'
const orMissing = (error: unknown) => {
  if (!isMissing(error)) throw error
  return undefined
}

/** Files below a folder. A file with its final name is complete. */
export function folderFiles(folder: string): FileStore {
  const parts = join(folder, 'parts')
  return {
    async put(key, bytes) {
      const file = fileOf(folder, key)
      const part = join(parts, randomUUID())
      await mkdir(parts, { recursive: true, mode: 0o700 })
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      try {
        await writeFile(part, bytes, { mode: 0o600, flush: true })
        await rename(part, file)
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    async read(key, start, end) {
      const file = await open(fileOf(folder, key)).catch(orMissing)
      if (!file) return undefined
      try {
        const bytes = Buffer.alloc(end - start)
        const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
        return bytes.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    remove: (key) => rm(fileOf(folder, key), { force: true }),
    async sweep() {
      for (const name of (await readdir(parts).catch(orMissing)) ?? []) {
        const found = await stat(join(parts, name)).catch(orMissing)
        if (found && found.mtimeMs < Date.now() - PART_MS) await rm(join(parts, name), { force: true })
      }
    },
  }
}

/** The part of an object store that files need. */
interface ByteStore {
  putBytes(key: string, bytes: Buffer): Promise<void>
  findRange(key: string, start: number, end: number): Promise<Buffer | undefined>
  remove(key: string): Promise<void>
}

/** Files in an object store, below their own prefix. An interrupted upload leaves nothing there. */
export const storedFiles = (store: ByteStore): FileStore => ({
  put: (key, bytes) => store.putBytes(`files/${key}`, bytes),
  read: (key, start, end) => store.findRange(`files/${key}`, start, end),
  remove: (key) => store.remove(`files/${key}`),
  sweep: async () => {},
})

const ID_TRIES = 100
const ID_WAIT_MS = 50

/** The id of a folder, written when it is first used: two nodes with the same id share the folder. */
export async function folderId(folder: string): Promise<string> {
  const file = join(folder, 'id')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  for (let tries = 0; tries < ID_TRIES; tries++) {
    const id = (await readFile(file, 'utf8')).trim()
    if (id !== '') return id
    // Another node that starts at the same moment has created the file and will write it.
    await sleep(ID_WAIT_MS)
  }
  throw new Error(`${file} is empty. Delete it and start again.`)
}
