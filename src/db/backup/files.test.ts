import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { type FileStore, openDatabase, sql } from '../database.ts'
import { fileKey } from '../file-key.ts'
import { verifyArchive } from './archive.ts'
import { dump } from './dump.ts'
import { restore } from './restore.ts'

const store = () => {
  const held = new Map<string, Buffer>()
  const files: FileStore = {
    put: async (key, bytes) => void held.set(key, bytes),
    read: async (key, start, end) => held.get(key)?.subarray(start, end),
    remove: async (key) => void held.delete(key),
    sweep: async () => {},
  }
  return { held, files }
}
const quiet = { info: () => {}, warn: () => {} }
const large = Buffer.alloc(9 * 1024 * 1024, 'large\n')
const small = Buffer.from('a line\n{"sequences":{}}\n0\n')

let from: TestDatabase
const source = store()
const put = async (bytes: Buffer) => {
  const sha256 = createHash('sha256').update(bytes).digest()
  await from.db.execute(sql`insert into file_contents (account_id, sha256, bytes) values (1, ${sha256}, ${bytes.length})`)
  source.held.set(fileKey(1, sha256), bytes)
  return fileKey(1, sha256)
}
beforeAll(async () => {
  from = await createDatabase()
  await put(large)
  await put(small)
})
afterAll(() => from.drop())

const archive = async (files?: FileStore) => {
  const pieces: Buffer[] = []
  for await (const piece of dump(from.url, { secretKey: null, files })) pieces.push(piece)
  return Buffer.concat(pieces)
}
async function* cut(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001)
}

test('a backup has the files and restores them with their rows', async () => {
  const backup = await archive(source.files)
  await verifyArchive(cut(backup))
  const to = await createEmptyDatabase()
  const target = store()
  await restore(to.url, cut(backup), { log: quiet, files: target.files })
  expect([...target.held.keys()].sort()).toEqual([...source.held.keys()].sort())
  for (const [key, bytes] of source.held) expect(target.held.get(key)!.equals(bytes)).toBe(true)
  const db = openDatabase(to.url)
  expect(await db.rows(sql`select bytes from file_contents order by bytes`)).toEqual([
    { bytes: small.length },
    { bytes: large.length },
  ])
  await db.close()
  await to.drop()
})

test('replacing data removes its files, and a failed restore removes none', async () => {
  const backup = await archive(source.files)
  const to = await createDatabase()
  const target = store()
  const add = async (bytes: Buffer) => {
    const db = openDatabase(to.url)
    const sha256 = createHash('sha256').update(bytes).digest()
    await db.execute(sql`insert into file_contents (account_id, sha256, bytes) values (1, ${sha256}, ${bytes.length})`)
    await db.close()
    target.held.set(fileKey(1, sha256), bytes)
    return fileKey(1, sha256)
  }
  const settings = { log: quiet, files: target.files, replace: true }
  const unknown = await add(Buffer.from('of the data before that'))
  const half = cut(backup.subarray(0, backup.lastIndexOf('large')))
  await expect(restore(to.url, half, settings)).rejects.toThrow()
  // The failed restore emptied the database, so that nobody knows whose the file was.
  expect(target.held.has(unknown)).toBe(true)
  await restore(to.url, cut(backup), settings)
  const former = await add(Buffer.from('of the former data'))
  await restore(to.url, cut(backup), settings)
  expect(target.held.has(former)).toBe(false)
  expect([...target.held.keys()].sort()).toEqual([...source.held.keys(), unknown].sort())
  await to.drop()
})

test('a damaged file, a cut-off one and a wrong name are noticed before anything is restored', async () => {
  const backup = await archive(source.files)
  const damaged = Buffer.from(backup)
  damaged[damaged.lastIndexOf('large') + 1] = 0
  await expect(verifyArchive(cut(damaged))).rejects.toThrow(/is damaged/)
  await expect(verifyArchive(cut(backup.subarray(0, backup.lastIndexOf('large'))))).rejects.toThrow(/cut off/)
  const named = Buffer.from(backup.toString('latin1').replace('{"file":"1/', '{"file":"../'), 'latin1')
  await expect(verifyArchive(cut(named))).rejects.toThrow(/no name/)
})

test('files that were deleted meanwhile are left out, and without a folder there are none', async () => {
  const gone = await put(Buffer.from('gone'))
  source.held.delete(gone)
  const backup = await archive(source.files)
  expect(backup.includes(`{"file":"${gone}"}`)).toBe(false)
  expect(backup.includes('{"file":')).toBe(true)
  expect((await archive()).includes('{"file":')).toBe(false)
})
