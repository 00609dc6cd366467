import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { performed } from '../../../test/support/callers/in-process.ts'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openObjectStoreServer } from '../../../test/support/servers/object-store.ts'
import { dump } from '../../db/backup/dump.ts'
import { packed } from '../../db/backup/encryption.ts'
import { sql } from '../../db/database.ts'
import { storePlace } from '../../jobs/backups/place.ts'
import { adminCommand } from '../main.ts'

const PASSPHRASE = 'correct horse battery staple'
const NAMES = ['goldmaster-2026-11-16T023000.backup.age', 'goldmaster-2026-11-17T023000.backup.age']

let own: TestDatabase
let target: TestDatabase
let server: Awaited<ReturnType<typeof openObjectStoreServer>>
let folder: string
let opened = 0
beforeAll(async () => {
  own = await createDatabase()
  target = await createEmptyDatabase()
  server = await openObjectStoreServer()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-stored-'))
  await writeFile(join(folder, 'phrase'), PASSPHRASE)
  for (const [index, name] of NAMES.entries()) {
    await own.db.execute(sql`insert into accounts (name) values (${`studio ${index}`})`)
    const copy = packed(dump(own.url, { secretKey: 'a key of these tests' }), PASSPHRASE)
    await placeIn('backups').write(name, copy as AsyncIterable<Buffer>, async () => {}, new AbortController().signal)
  }
  server.objects.set('backups/notes.txt', Buffer.from('no backup'))
  server.objects.set('backups/old/x.backup', Buffer.from('of another service'))
})
afterAll(async () => {
  await own.drop()
  await target.drop()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const placeIn = (prefix: string) => storePlace(`object-store:${prefix}`, prefix, server.client())

const admin = (...words: string[]) =>
  performed(['admin', ...words], {
    beside: {
      admin: async () =>
        adminCommand({
          store: () => Promise.reject(new Error('not opened here')),
          rawDatabase: async () => {
            opened++
            const keptSecret = { path: folder, read: () => undefined, write: () => {} }
            return {
              url: target.url,
              secretKey: undefined,
              keptSecret,
              log: { info: () => {}, warn: () => {} },
              close: async () => {},
            }
          },
          storedBackups: async (prefix) => placeIn(prefix),
        }),
    },
  })

test('backups in the object store are listed with the newest first, and nothing else', async () => {
  const listed = JSON.parse(await admin('list-backups', 'object-store:backups', '--json'))
  expect(listed.map(({ place }: { place: string }) => place)).toEqual(
    [NAMES[1], NAMES[0]].map((name) => `object-store:backups/${name}`),
  )
  expect(listed[0].bytes).toBe(server.objects.get(`backups/${NAMES[1]}`)!.length)
})

test('a backup is restored from the object store by its name', async () => {
  const phrase = ['--passphrase-file', join(folder, 'phrase')]
  expect(await admin('restore', `object-store:backups/${NAMES[0]}`, ...phrase)).toMatch(/^Restored [\d,]+ rows/)
  expect(await target.db.rows(sql`select name from accounts`)).toEqual([{ name: 'studio 0' }])
})

test.each([
  'object-store:backups/none.backup',
  'object-store:none.backup',
  'object-store:../x',
  'object-store:',
  'object-store:backups/notes.txt',
])('restore of %s is refused before a database is opened', async (place) => {
  const before = opened
  await expect(admin('restore', place)).rejects.toMatchObject({ exit: 2 })
  expect(opened).toBe(before)
})

test('list-backups of a folder says how to list it', async () => {
  await expect(admin('list-backups', '/var/backups')).rejects.toThrow('is a folder. To see its backups, use ls')
})
