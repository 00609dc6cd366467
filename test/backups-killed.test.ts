import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/database.ts'
import { readBackups } from '../src/domain/operations/backups.ts'
import { goldmaster, type Running } from './support/callers/command.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { openObjectStoreServer } from './support/servers/object-store.ts'
import { until } from './support/until.ts'

/** The shipped program, killed while it makes a backup. */

const SECRET = 'a secret that only tests know, 32 or more'
let own: TestDatabase
let folder: string
const running = new Set<Running>()
beforeAll(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-killed-'))
  // More than one part of an upload, incompressible.
  for (let i = 0; i < 24; i++)
    await own.db.execute(sql`
      insert into mails (to_address, subject, text) values ('a@example.com', 'x', ${randomBytes(1_000_000).toString('base64')})`)
})
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await own.drop()
  await rm(folder, { recursive: true, force: true })
})

function work(env: Record<string, string>): Running {
  const settings = { DATABASE_URL: own.url, SECRET_KEY: SECRET, BACKUP_PASSPHRASE: 'correct horse battery staple', ...env }
  const node = goldmaster(['work'], settings)
  running.add(node)
  return node
}

async function kill(node: Running) {
  node.child.kill('SIGKILL')
  expect(await node.ended).toBe('SIGKILL')
  running.delete(node)
}

async function stop(node: Running) {
  node.child.kill('SIGTERM')
  expect(await node.ended, node.said()).toBe(0)
  running.delete(node)
}

/** Makes a backup due. */
const demand = () => own.db.execute(sql`update jobs set run_at = now() where kind = 'make_backup'`)
/** With the node's output, if it never comes. */
const untilGood = (node: Running) =>
  until(async () => (await readBackups(own.db)).newest[0]?.status === 'good').catch((error: Error) => {
    throw new Error(`${error.message}\n${node.said()}`)
  })

test('a kill while writing a folder leaves nothing that looks complete, and the next node makes the backup', async () => {
  const files = () => readdir(folder).catch(() => [])
  const first = work({ BACKUP_TO: folder })
  await until(() => first.said().includes('running background jobs'))
  await own.db.onOneConnection(async (db) => {
    // The copy has started and waits for a table.
    await db.execute(sql`begin`)
    await db.execute(sql`lock table mails in access exclusive mode`)
    await demand()
    await until(async () => (await files()).some((name) => name.endsWith('.part')))
    await kill(first)
    expect((await files()).filter((name) => !name.endsWith('.part'))).toEqual([])
    await db.execute(sql`rollback`)
  })
  const second = work({ BACKUP_TO: folder })
  await untilGood(second)
  const { newest } = await readBackups(own.db)
  expect(newest).toMatchObject([
    { status: 'good', test: 'restored' },
    { status: 'failed', error: 'The node that made it ended before it was done.' },
  ])
  expect(await files()).toEqual([newest[0]!.name])
  await stop(second)
  await own.db.execute(sql`delete from backups`)
})

test('a kill between two parts of an upload leaves no object, and the next node aborts the upload and makes the backup', async () => {
  const server = await openObjectStoreServer()
  const { url, region, accessKey, secretKey } = server.settings
  const env = {
    BACKUP_TO: 'object-store:backups',
    BACKUP_TEST: 'read',
    OBJECT_STORE_URL: url,
    OBJECT_STORE_REGION: region,
    OBJECT_STORE_ACCESS_KEY: accessKey,
    OBJECT_STORE_SECRET_KEY: secretKey,
  }
  let parts = 0
  server.whenAsked((method) => {
    // The second part never gets a response.
    if (method === 'PUT' && ++parts === 2) return new Promise(() => {})
    return undefined
  })
  const first = work(env)
  await demand()
  await until(() => parts === 2)
  await kill(first)
  expect([server.objects.size, server.uploads.size]).toEqual([0, 1])
  server.whenAsked(() => {})
  const second = work(env)
  await untilGood(second)
  expect([server.objects.size, server.uploads.size]).toEqual([1, 0])
  await stop(second)
  server.close()
})
