import { createCipheriv } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { sql } from '../db/database.ts'
import { migrations } from '../db/migration-files.ts'
import { keyFor } from '../domain/privacy/secrets.ts'
import { readEnvironment } from './environment.ts'
import { openLog, openSchema, openStore } from './service.ts'

const KEY = 'a key of these tests, long enough'
const OTHER = 'another key of these tests, long too'
let own: TestDatabase
let folder: string
beforeEach(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-service-'))
})
afterEach(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

const open = async (opening?: Parameters<typeof openStore>[2], key = KEY) => {
  const settings = readEnvironment({ DATABASE_URL: own.url, SECRET_KEY: key, DATA_DIR: folder, LOG_LEVEL: 'silent' })
  const store = await openStore(settings, openLog(settings), opening)
  await store.close()
  return store
}

const COMMAND = { onlyIfCurrent: true }
const applied = async () => (await own.db.rows(sql`select from schema_migrations`)).length

test('a command sets up an empty database', async () => {
  await own.db.execute(sql`drop schema public cascade`)
  await own.db.execute(sql`create schema public`)
  expect(await open(COMMAND)).toMatchObject({ fresh: true })
  expect(await open(COMMAND)).toMatchObject({ fresh: false })
  expect(await applied()).toBe(migrations().length)
})

test('a command does not change a database with the sets of an older version', async () => {
  await own.db.execute(
    sql`alter table tasks drop constraint tasks_state_set, add constraint tasks_state_set check (state = 'to_do')`,
  )
  await expect(open(COMMAND)).rejects.toThrow(/has an older version\. Run `goldmaster migrate`/)
  await open()
  await open(COMMAND)
})

test('a command refuses a newer database', async () => {
  await own.db.execute(sql`insert into schema_migrations (number, name) values (9999, 'tomorrow')`)
  await expect(open(COMMAND)).rejects.toThrow(/newer than this version/)
})

test('another secret key than that of the first start is refused with one line', async () => {
  await open()
  await open(COMMAND)
  await expect(open({}, OTHER)).rejects.toThrow(/^SECRET_KEY is not the key that this database was set up with[^\n]*$/)
  await open()
})

/** As values were sealed before they were bound to their location. */
const sealedUnbound = (secret: string, value: string) => {
  const cipher = createCipheriv('aes-256-gcm', keyFor(secret, 'vault'), Buffer.alloc(12, 7))
  const sealed = Buffer.concat([cipher.update(value), cipher.final()])
  return Buffer.concat([Buffer.alloc(12, 7), cipher.getAuthTag(), sealed]).toString('base64')
}

test('a database without a canary is checked by its sealed values', async () => {
  await own.db.execute(sql`insert into accounts (id, name) values (1, 'Owl')`)
  await own.db.execute(sql`insert into projects (id, account_id, name) values (1, 1, 'Starfall')`)
  await own.db.execute(sql`
    insert into integrations (account_id, project_id, provider, token_hash, token_sealed)
    values (1, 1, 'github', ${Buffer.alloc(32)}, ${sealedUnbound(KEY, 'token')})`)
  await expect(open({}, OTHER)).rejects.toThrow(/SECRET_KEY is not the key/)
  await open()
})

test('migrating alone needs no key and stores none', async () => {
  const settings = readEnvironment({ DATABASE_URL: own.url, DATA_DIR: folder, LOG_LEVEL: 'silent' })
  await (await openSchema(settings, openLog(settings))).stop()
  expect(await readdir(folder)).toEqual([])
  await open()
})

test('one of two first starts with different keys is refused', async () => {
  const starts = await Promise.allSettled([open({}, KEY), open({}, OTHER)])
  expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
