import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { sql } from '../db/database.ts'
import { removeNode, reportNode } from '../domain/operations/nodes.ts'
import { requireSharedFiles } from './shared-files.ts'

let own: TestDatabase
let folder: string
beforeAll(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-shared-'))
})
afterAll(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

const log = pino({ level: 'silent' })
const start = (filesDir: string, objectStore?: never) => requireSharedFiles({ filesDir, objectStore }, own, log)
const node = (files_folder: string | null) => ({
  id: '00000000-0000-4000-8000-000000000001',
  host: 'build-1',
  role: 'serve' as const,
  version: '1',
  mails: false,
  backs_up: false,
  files_folder,
})

test('a node starts with the folder of the others, and is refused with another one while they run', async () => {
  const id = await start(join(folder, 'one'))
  await reportNode(own.db, node(id), [])
  expect(await start(join(folder, 'one'))).toBe(id)
  await expect(start(join(folder, 'two'))).rejects.toThrow(/^build-1 runs too.* OBJECT_STORE_URL, or FILES_DIR/)
  expect(await start(join(folder, 'two'), {} as never)).toBeNull()
  await own.db.execute(sql`update nodes set seen_at = now() - interval '3 minutes'`)
  expect(await start(join(folder, 'two'))).not.toBe(id)
  await removeNode(own.db, node(id).id)
})

test('nodes with an object store do not matter, and neither does a folder that cannot be written', async () => {
  await reportNode(own.db, node(null), [])
  expect(await start(join(folder, 'three'))).toMatch(/^[0-9a-f-]{36}$/)
  await writeFile(join(folder, 'file'), '')
  expect(await start(join(folder, 'file', 'below'))).toBeNull()
  await removeNode(own.db, node(null).id)
})
