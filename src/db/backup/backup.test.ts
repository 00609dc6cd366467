import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { VERSION } from '../../contract/version.ts'
import { Vault } from '../../domain/privacy/secrets.ts'
import { loadWorld } from '../../world/world.ts'
import { type Database, raw, sql } from '../database.ts'
import { migrate, schemaState } from '../migrate.ts'
import { enqueue } from '../queue.ts'
import { verifyArchive } from './archive.ts'
import { dump } from './dump.ts'
import { restore } from './restore.ts'

const WORLD = readFileSync(new URL('../../world/fixtures/world.json', import.meta.url))
/** Everything that COPY escapes or could mistake for its end, and more than fits into one block. */
const AWKWARD = `tab\t, \\N, \\., line\n\\.\nend \\\\ "quotes" 'apostrophes' \u2028 🦉 ${'ä'.repeat(100_000)}`
const log = { info: () => {}, warn: () => {} }

let own: TestDatabase
const targets: TestDatabase[] = []
beforeAll(async () => {
  own = await createDatabase()
  await loadWorld(own.db, Readable.from([WORLD]), { vault: new Vault('a key of these tests') })
  await own.db.execute(sql`update tasks set description = ${AWKWARD}`)
  await enqueue(own.db, 'investigate', { account_id: 1, investigation_id: 1 }, {})
})
afterAll(() => own.drop())
afterEach(async () => {
  for (const target of targets.splice(0)) await target.drop()
})

async function emptyTarget(): Promise<TestDatabase> {
  const target = await createEmptyDatabase()
  targets.push(target)
  return target
}

const dumped = (secretKey: string | null = null) => dump(own.url, { secretKey })
async function whole(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
/** In chunks cut anywhere. */
async function* pieces(archive: Buffer, size: number) {
  for (let i = 0; i < archive.length; i += size) yield archive.subarray(i, i + size)
}

/** The content of all tables, as a checksum of each. */
async function sums(db: Database): Promise<Record<string, string>> {
  const tables = await db.rows<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname = 'public' and tablename not like '%migrations' order by 1`)
  const found: Record<string, string> = {}
  for (const { name } of tables)
    found[name] = (await db.one<{ sum: string }>(sql`
      select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from ${raw(name)} t`))!.sum
  return found
}

test('a restored database has the content from when the copy started, and continues from there', async () => {
  const copy = dumped()
  const first = (await copy.next()).value as Buffer
  const before = await sums(own.db)
  await own.db.execute(sql`insert into tasks (account_id, project_id, title) values (1, 1, 'late')`)
  await own.db.execute(sql`update accounts set name = 'late'`)
  const target = await emptyTarget()
  await restore(target.url, pieces(Buffer.concat([first, await whole(copy)]), 1_000), { log })
  expect(await sums(target.db)).toEqual(before)

  const outbox = async () => (await target.db.rows(sql`select from outbox`)).length
  const told = await outbox()
  const insert = (project: number) =>
    sql`insert into tasks (account_id, project_id, title) values (1, ${project}, 'x') returning id`
  const late = (await own.db.one<{ id: number }>(sql`select max(id) as id from tasks`))!.id
  expect((await target.db.one<{ id: number }>(insert(1)))!.id).toBe(late + 1)
  expect(await outbox()).toBe(told + 1)
  await expect(target.db.one(insert(99))).rejects.toMatchObject({ code: '23503' })
})

test('a non-empty database is refused, and replaced on request', async () => {
  const target = await emptyTarget()
  await target.db.execute(sql`create table accounts (note text)`)
  await expect(restore(target.url, dumped(), { log })).rejects.toThrow('The database is not empty')
  await expect(restore(target.url, dumped(), { log, replace: true })).rejects.toThrow('in use: stop the service')
  await target.db.one(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {})
  await restore(target.url, dumped(), { log, replace: true })
  expect(await schemaState(target.url)).toBe('current')
})

test('a copy that moves the service is refused while the service is running', async () => {
  await own.db.one(sql`select 1`)
  await expect(whole(dump(own.url, { secretKey: null, alone: true }))).rejects.toThrow('The service is running')
})

test('a truncated backup leaves the target empty', async () => {
  const target = await emptyTarget()
  const archive = await whole(dumped())
  const cut = pieces(archive.subarray(0, archive.lastIndexOf('{')), 1 << 16)
  await expect(restore(target.url, cut, { log })).rejects.toThrow('cut off')
  expect(await schemaState(target.url)).toBe('empty')
})

test('a damaged backup is detected before anything is changed', async () => {
  const archive = await whole(dumped('the key'))
  expect(await verifyArchive(pieces(archive, 999))).toMatchObject({ secret_key: 'the key', version: VERSION })
  const verify = (text: string) => verifyArchive(pieces(Buffer.from(text, 'latin1'), 1 << 16))
  const text = archive.toString('latin1')
  await expect(verify(text.slice(0, text.length / 2))).rejects.toThrow('cut off')
  await expect(verify(text.replace('{"rows":1}', '{"rows":2}'))).rejects.toThrow('has 1 rows instead of 2')
  await expect(verify('{}\n')).rejects.toThrow('does not begin as one')
  await expect(verify('\x7fELF\n')).rejects.toThrow('cannot be read')
})

test('a backup of an older version is upgraded, one of a newer is refused', async () => {
  const older = await emptyTarget()
  await migrate(older.url, log)
  await older.db.execute(sql`insert into accounts (name) values ('Owl')`)
  const target = await emptyTarget()
  await restore(target.url, dump(older.url, { secretKey: null }), { log })
  expect(await schemaState(target.url)).toBe('current')
  expect(await target.db.rows(sql`select name from accounts`)).toEqual([{ name: 'Owl' }])
  await older.db.execute(sql`insert into schema_migrations (number, name) values (9999, 'tomorrow')`)
  await expect(restore(target.url, dump(older.url, { secretKey: null }), { log })).rejects.toThrow('The backup is newer')
})
