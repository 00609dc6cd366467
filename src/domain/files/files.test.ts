import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waiting } from '../../../test/support/blocked.ts'
import { png } from '../../../test/support/files/pictures.ts'
import { openObjectStoreServer } from '../../../test/support/servers/object-store.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { ARTIFACT_PIECE_MIN } from '../../contract/limits.ts'
import { SCOPES } from '../../contract/sets.ts'
import { type FileStore, openDatabase, type Pool, sql } from '../../db/database.ts'
import * as artifacts from '../artifacts/artifacts.ts'
import { addPiece } from '../artifacts/upload.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { findSize } from '../previews/previews.ts'
import { upload } from '../previews/upload.ts'
import { folderFiles, folderId, storedFiles } from './file-store.ts'
import { attach, find, readWhole, store, sweep } from './files.ts'

let studio: Studio
let folder: string
let server: Awaited<ReturnType<typeof openObjectStoreServer>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-files-'))
  server = await openObjectStoreServer()
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    tasks: [{ key: 'task', project: 'star', title: 'Cook' }],
    assets: [{ key: 'rock', project: 'star', name: 'T_Rock.png', path: 'T_Rock.png', asset_type: 'texture' }],
    comments: [{ key: 'comment', project: 'star', task: 'task', user: 'kim', body: 'See' }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
    build_runs: [{ project: 'star', integration: 'ci', ci_job_name: 'package', build_number: '1' }],
  })
})
afterAll(async () => {
  await studio.close()
  await server.close()
  await rm(folder, { recursive: true })
})

const key = () => ({
  account_id: studio.world.accounts!.owl!.id as number,
  project_id: studio.world.projects!.star!.id as number,
})
const comment = () => studio.world.comments!.comment!.id as number
const filesIn = async (place: string) =>
  (await readdir(place, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile() && entry.name !== 'id').length

describe.each([
  ['a folder', () => folderFiles(folder), () => filesIn(folder)],
  [
    'an object store',
    () => storedFiles(server.client({}, { attempts: 1 })),
    async () => [...server.objects.keys()].filter((name) => name.startsWith('files/')).length,
  ],
])('files in %s', (_, open, count) => {
  let db: Pool
  let files: FileStore
  beforeAll(() => {
    files = open()
    db = openDatabase(studio.url, { files })
  })
  afterAll(() => db.close())
  const old = () => db.execute(sql`update file_contents set used_at = now() - interval '2 days'`)
  const put = async (text: string, name = 'notes.txt') => {
    const stored = await store(db, key().account_id, { name, bytes: Buffer.from(text) })
    await attach(db, key(), comment(), stored)
    return stored
  }
  const whole = ({ sha256, bytes }: { sha256: Buffer; bytes: Buffer }) => readWhole(db, key().account_id, sha256, bytes.length)

  test('a preview is stored with its pictures, read back, and replaced', async () => {
    const assetId = studio.world.assets!.rock!.id as string
    const put = (bytes: Buffer) => upload(db, key(), { assetId, version: '1', bytes }, studio.service.quotas)
    const read = async (size: 'small' | 'large' | 'original') => {
      const found = await findSize(db, key(), assetId, '1', size)
      return found && readWhole(db, key().account_id, found.sha256, found.bytes)
    }
    const before = await count()
    const original = png({ width: 400, height: 300 })
    expect(await put(original)).toMatchObject({ state: 'ready', kind: 'picture', width: 400, height: 300 })
    expect(await read('original')).toEqual(original)
    for (const size of ['small', 'large'] as const) expect((await read(size))!.toString('latin1', 8, 12)).toBe('WEBP')
    expect(await put(Buffer.from('now a text'))).toMatchObject({ kind: 'text' })
    expect(await read('small')).toBe(undefined)
    expect(String(await read('original'))).toBe('now a text')
    await old()
    await sweep(db)
    // Only the text is left.
    expect(await count()).toBe(before + 1)
    await db.execute(sql`delete from previews`)
    await old()
    await sweep(db)
  })

  test('an artifact is stored in pieces, read across their borders, and removed with its bytes', async () => {
    const before = await count()
    const { quotas } = studio.service
    const context = { ...key(), integration_id: studio.world.integrations!.ci!.id } as IntegrationContext
    const bytes = randomBytes(3 * ARTIFACT_PIECE_MIN)
    const send = (offset: number, until: number) =>
      addPiece(
        db,
        context,
        {
          job: 'package',
          number: '1',
          name: 'Game.zip',
          upload: 'one',
          size: bytes.length,
          offset,
          bytes: bytes.subarray(offset, until),
        },
        { quotas, transaction: (work) => db.transaction(work) },
      )
    const border = ARTIFACT_PIECE_MIN + 11
    expect(await send(0, border)).toMatchObject({ status: 'uploading', offset: border })
    const { id } = (await db.one<{ id: string }>(sql`select id from artifacts`))!
    expect(await artifacts.find(db, key(), id)).toBe(undefined)
    expect(await send(border, bytes.length)).toMatchObject({ status: 'complete' })
    const stored = (await artifacts.find(db, key(), id))!
    const read = async (from: number, until: number) => {
      const pieces: Buffer[] = []
      for await (const piece of artifacts.read(db, stored, from, until)) pieces.push(piece)
      return Buffer.concat(pieces)
    }
    expect((await read(0, bytes.length)).equals(bytes)).toBe(true)
    expect((await read(border - 5, border + 5)).equals(bytes.subarray(border - 5, border + 5))).toBe(true)
    expect(await count()).toBe(before + 2)
    await db.execute(sql`delete from artifacts`)
    await old()
    await sweep(db)
    expect(await count()).toBe(before)
  })

  test('a file is stored by its content, read in ranges and removed', async () => {
    expect(await files.read('1/none', 0, 5)).toBeUndefined()
    await files.put('1/abcd', Buffer.from('first'))
    await files.put('1/abcd', Buffer.from('0123456789'))
    expect(String(await files.read('1/abcd', 0, 10))).toBe('0123456789')
    expect(String(await files.read('1/abcd', 3, 5))).toBe('34')
    await files.remove('1/abcd')
    await files.remove('1/abcd')
    expect(await files.read('1/abcd', 0, 5)).toBeUndefined()
  })

  test('the same content is stored once and stays until its last file is gone', async () => {
    const before = await count()
    const one = await put('the same')
    await put('the same', 'copy.txt')
    expect(one.sha256).toEqual(createHash('sha256').update('the same').digest())
    expect(await count()).toBe(before + 1)
    await old()
    await db.execute(sql`delete from files where name = 'notes.txt'`)
    expect(await sweep(db)).toEqual({ removed: 0, moved: 0 })
    expect(String(await whole(one))).toBe('the same')
    await db.execute(sql`delete from files`)
    expect(await sweep(db)).toEqual({ removed: 1, moved: 0 })
    expect(await count()).toBe(before)
    await expect(whole(one)).rejects.toMatchObject({ code: 'object_lost' })
  })

  test('a file whose upload was interrupted is removed after a day, and not before', async () => {
    const before = await count()
    await store(db, key().account_id, { name: 'x', bytes: Buffer.from('nobody refers to it') })
    expect(await sweep(db)).toEqual({ removed: 0, moved: 0 })
    expect(await count()).toBe(before + 1)
    await old()
    expect(await sweep(db)).toEqual({ removed: 1, moved: 0 })
    expect(await count()).toBe(before)
  })

  test('an upload that meets the removal of the same content waits and stores it again', async () => {
    const first = await store(db, key().account_id, { name: 'x', bytes: Buffer.from('again') })
    await old()
    let again: Promise<unknown> | undefined
    const slow: FileStore = {
      ...files,
      async remove(name) {
        again = put('again')
        // The upload is waiting for the row now.
        await until(async () => (await waiting(db)) > 0)
        await files.remove(name)
      },
    }
    const other = openDatabase(studio.url, { files: slow })
    expect(await sweep(other)).toEqual({ removed: 1, moved: 0 })
    await other.close()
    await again
    expect(String(await whole(first))).toBe('again')
  })

  test('a store that fails leaves no file and no reference', async () => {
    const broken = openDatabase(studio.url, {
      files: { ...files, put: () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })) },
    })
    const upload = store(broken, key().account_id, { name: 'x', bytes: Buffer.from('never stored') })
    await expect(upload).rejects.toMatchObject({ status: 503, code: 'file_store_away' })
    await broken.close()
    await old()
    expect((await sweep(db)).removed).toBe(1)
  })

  test('imported bytes are readable at once and moved to the store', async () => {
    const bytes = Buffer.from(`imported ${Math.random()}`)
    const sha256 = createHash('sha256').update(bytes).digest()
    const wrong = Buffer.alloc(32, 7)
    await db.execute(sql`
      insert into file_contents (account_id, sha256, bytes, content) values
        (${key().account_id}, ${sha256}, ${bytes.length}, ${bytes}), (${key().account_id}, ${wrong}, 3, ${Buffer.from('lie')})`)
    expect(await whole({ sha256, bytes })).toEqual(bytes)
    const before = await count()
    expect(await sweep(db)).toEqual({ removed: 0, moved: 2 })
    expect(await count()).toBe(before + 1)
    expect(await whole({ sha256, bytes })).toEqual(bytes)
    await expect(whole({ sha256: wrong, bytes: Buffer.from('lie') })).rejects.toMatchObject({ code: 'object_lost' })
    await old()
    await sweep(db)
  })

  test('a deleted account leaves no file behind', async () => {
    const stored = await put('of a closed account')
    await db.execute(sql`delete from files`)
    await db.execute(sql`delete from file_contents`)
    await db.execute(sql`
      insert into file_contents (account_id, sha256, bytes) values (987654, ${stored.sha256}, ${stored.bytes.length})`)
    await files.put(`987654/${stored.sha256.toString('hex')}`, stored.bytes)
    await old()
    expect((await sweep(db)).removed).toBe(1)
    expect(await files.read(`987654/${stored.sha256.toString('hex')}`, 0, 1)).toBeUndefined()
    await files.remove(`${key().account_id}/${stored.sha256.toString('hex')}`)
  })
})

test('what a killed process left half-written is removed after a day', async () => {
  const files = folderFiles(folder)
  await files.put('1/ffff', Buffer.from('x'))
  for (const name of ['fresh', 'old']) await writeFile(join(folder, 'parts', name), 'half')
  const past = new Date(Date.now() - 2 * 86_400_000)
  await utimes(join(folder, 'parts', 'old'), past, past)
  await files.sweep()
  expect(await readdir(join(folder, 'parts'))).toEqual(['fresh'])
})

test('a folder has one id, whoever asks', async () => {
  const [one, two] = await Promise.all([folderId(folder), folderId(folder)])
  expect(one).toMatch(/^[0-9a-f-]{36}$/)
  expect(two).toBe(one)
  const other = await mkdtemp(join(tmpdir(), 'goldmaster-files-'))
  expect(await folderId(other)).not.toBe(one)
  await rm(other, { recursive: true })
})

test('a node that starts while another creates the id of a folder waits for it', async () => {
  const young = await mkdtemp(join(tmpdir(), 'goldmaster-files-'))
  await writeFile(join(young, 'id'), '')
  const found = folderId(young)
  await sleep(100)
  await writeFile(join(young, 'id'), 'the-id\n')
  expect(await found).toBe('the-id')
  await rm(young, { recursive: true })
})

test('a file of a deleted comment is not found', async () => {
  const stored = await store(studio.db, key().account_id, { name: 'p.png', bytes: png() })
  await attach(studio.db, key(), comment(), stored)
  const { id } = (await studio.db.one<{ id: string }>(sql`select id from files where name = 'p.png'`))!
  expect(await find(studio.db, key(), id)).toMatchObject({ name: 'p.png', type: 'image/png', subject: 'task' })
  expect(await find(studio.db, { ...key(), project_id: key().project_id + 1 }, id)).toBeUndefined()
  await studio.db.execute(sql`update comments set deleted_at = now() where id = ${comment()}`)
  expect(await find(studio.db, key(), id)).toBeUndefined()
  await studio.db.execute(sql`update comments set deleted_at = null where id = ${comment()}`)
})
