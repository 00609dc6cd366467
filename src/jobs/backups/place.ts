import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { ObjectStore } from '../../net/object-store.ts'

/** The destination of scheduled backups. A file with its final name is complete. */
export interface BackupPlace {
  /** As configured by the operator. */
  name: string
  /** Returns the number of bytes. `begun` gets what is needed to clean up after a crash. */
  write(
    file: string,
    source: AsyncIterable<Buffer>,
    begun: (upload: string) => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<number>
  read(file: string, bytes: number): AsyncIterable<Buffer>
  remove(file: string): Promise<void>
  /** Removes an incomplete file. */
  clear(file: string, upload: string | null): Promise<void>
}

export function folderPlace(folder: string): BackupPlace {
  const part = (file: string) => join(folder, `${file}.part`)
  return {
    name: folder,
    async write(file, source, _, signal) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await pipeline(source, createWriteStream(part(file), { mode: 0o600, flush: true }), { signal })
      const { size } = await stat(part(file))
      await rename(part(file), join(folder, file))
      return size
    },
    read: (file) => createReadStream(join(folder, file)),
    remove: (file) => rm(join(folder, file), { force: true }),
    clear: (file) => rm(part(file), { force: true }),
  }
}

/** At most ten thousand parts: enough for 160 GB. */
const PART = 16 * 1024 * 1024

/** The names of backups end like this. */
const BACKUP = /\.backup(\.age)?$/

interface StorePlace extends BackupPlace {
  /** Complete backups, the newest first. */
  list(): Promise<{ name: string; bytes: number; stored_at: string }[]>
}

/** Below a prefix of the object store, one object per backup. */
export function storePlace(name: string, prefix: string, store: ObjectStore): StorePlace {
  const keyOf = (file: string) => `${prefix}/${file}`
  return {
    name,
    async write(file, source, begun, signal) {
      const key = keyOf(file)
      const upload = await store.beginUpload(key, signal)
      await begun(upload)
      const etags: string[] = []
      let bytes = 0
      for await (const part of partsOf(source)) {
        etags.push(await store.putPart(key, upload, etags.length + 1, part, signal))
        bytes += part.length
      }
      await store.endUpload(key, upload, etags, signal)
      return bytes
    },
    async *read(file, bytes) {
      for (let at = 0; at < bytes; at += PART) yield await store.getRange(keyOf(file), at, Math.min(bytes, at + PART))
    },
    async list() {
      const found = await store.list(`${prefix}/`)
      return found
        .map(({ key, bytes, stored_at }) => ({ name: key.slice(prefix.length + 1), bytes, stored_at }))
        .filter((one) => BACKUP.test(one.name) && !one.name.includes('/'))
        .toSorted((a, b) => (`${a.stored_at} ${a.name}` < `${b.stored_at} ${b.name}` ? 1 : -1))
    },
    remove: (file) => store.remove(keyOf(file)),
    clear: async (file, upload) => {
      if (upload !== null) await store.cancelUpload(keyOf(file), upload)
    },
  }
}

/** All of the same size except the last. */
async function* partsOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let [pieces, length]: [Buffer[], number] = [[], 0]
  for await (const piece of source) {
    let rest = piece
    while (length + rest.length >= PART) {
      const taken = rest.subarray(0, PART - length)
      yield Buffer.concat([...pieces, taken], PART)
      rest = rest.subarray(taken.length)
      ;[pieces, length] = [[], 0]
    }
    if (rest.length > 0) pieces.push(rest)
    length += rest.length
  }
  if (length > 0) yield Buffer.concat(pieces, length)
}
