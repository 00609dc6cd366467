import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import pg from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { keepLog } from '../../../test/support/log.ts'
import { openObjectStoreServer } from '../../../test/support/servers/object-store.ts'
import { until } from '../../../test/support/until.ts'
import { unpacked } from '../../db/backup/encryption.ts'
import { restore } from '../../db/backup/restore.ts'
import { openDatabase, sql } from '../../db/database.ts'
import { readBackups } from '../../domain/operations/backups.ts'
import { Vault } from '../../domain/privacy/secrets.ts'
import { loadWorld } from '../../world/world.ts'
import { startWorker } from '../worker.ts'
import { type Backups, makeBackup } from './backups.ts'
import { type BackupPlace, folderPlace, storePlace } from './place.ts'

const WORLD = await readFile(new URL('../../world/fixtures/world.json', import.meta.url))
const vault = new Vault('a key of these tests')
const PASSPHRASE = 'correct horse battery staple'
const log = pino({ level: 'silent' })

let own: TestDatabase
let folder: string
beforeEach(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-backups-'))
  await loadWorld(own.db, Readable.from([WORLD]), { vault })
})
afterEach(async () => {
  await own.drop()
  await rm(folder, { recursive: true, force: true })
})

const backupsTo = (place: BackupPlace, more: Partial<Backups> = {}): Backups => ({
  place,
  at: ['02:30'],
  keep: { daily: 7, weekly: 4, monthly: 6 },
  test: 'restore',
  passphrase: PASSPHRASE,
  secretKey: () => 'a secret kept in a file',
  ...more,
})
const make = (backups: Backups) => makeBackup({ db: own.db, log, backups }, {})
const newest = async () => (await readBackups(own.db)).newest
const titles = (db: TestDatabase['db']) => db.rows(sql`select title from tasks order by id`)
const scratchDatabases = () =>
  own.db.rows(sql`select datname from pg_database where datname like 'goldmaster_restore_test_%' and datname in (
    select 'goldmaster_restore_test_' || left(encode(sha256(current_database()::text::bytea), 'hex'), 12))`)

/** Both kinds of destinations, with their content. */
const PLACES = {
  folder: async () => ({ place: folderPlace(folder), names: () => readdir(folder), close: () => {} }),
  'object store': async () => {
    const server = await openObjectStoreServer()
    const place = storePlace('object-store:backups', 'backups', server.client())
    const names = async () => [...server.objects.keys()].map((key) => key.replace('backups/', ''))
    return { place, names, close: server.close }
  },
}

describe.each(Object.entries(PLACES))('to a %s', (_, open) => {
  test('a backup is encrypted, restored as a test, recorded, and can be restored elsewhere', async () => {
    const { place, names, close } = await open()
    await make(backupsTo(place))
    const [backup] = await newest()
    expect(backup).toMatchObject({ status: 'good', test: 'restored', place: place.name, error: '', rows: expect.any(Number) })
    expect(await names()).toEqual([backup!.name])
    expect(backup!.name).toMatch(/^goldmaster-\d{4}-\d\d-\d\dT\d{6}\.backup\.age$/)
    expect(await scratchDatabases()).toEqual([])
    const elsewhere = await createEmptyDatabase()
    const source = unpacked(place.read(backup!.name, backup!.bytes!), PASSPHRASE)
    const { rows } = await restore(elsewhere.url, source, { log: { info: () => {}, warn: () => {} } })
    expect(rows).toBe(backup!.rows)
    expect(await titles(elsewhere.db)).toEqual(await titles(own.db))
    await elsewhere.drop()
    close()
  })

  test('a backup that does not read back as written is marked as failed and does not replace the last good one', async () => {
    const { place, names, close } = await open()
    await make(backupsTo(place))
    const [good] = await newest()
    await own.db.execute(sql`update backups set started_at = started_at - interval '40 days'`)
    async function* damaged(file: string, bytes: number) {
      for await (const piece of place.read(file, bytes)) yield Buffer.from(piece).fill(7, piece.length >> 1)
    }
    const keep = { daily: 1, weekly: 0, monthly: 0 }
    await make(backupsTo({ ...place, read: damaged }, { keep }))
    const [bad] = await newest()
    expect(bad).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^Its restore test failed: This is no whole backup/),
    })
    expect((await readBackups(own.db)).good).toMatchObject({ id: good!.id })
    expect((await names()).sort()).toEqual([good!.name, bad!.name].sort())
    close()
  })
})

test('old backups are rotated by days, weeks and months, and the destination contains what the list shows', async () => {
  const place = folderPlace(folder)
  for (const days of [0, 1, 2, 3, 40, 41]) {
    const name = `old-${days}`
    await writeFile(join(folder, name), 'whole')
    await own.db.execute(sql`
      insert into backups (place, name, status, bytes, started_at)
      values (${folder}, ${name}, 'good', 5, now() - interval '1 day' - make_interval(days => ${days}))`)
  }
  await writeFile(join(folder, 'not-ours.txt'), 'kept')
  await make(backupsTo(place, { keep: { daily: 3, weekly: 0, monthly: 0 }, test: 'read' }))
  const [made] = await newest()
  expect(made).toMatchObject({ status: 'good', test: 'read' })
  expect((await readdir(folder)).sort()).toEqual([made!.name, 'not-ours.txt', 'old-0', 'old-1'].sort())
  expect((await newest()).map(({ name }) => name)).toEqual([made!.name, 'old-0', 'old-1'])
})

test('a failed backup is recorded with its reason, retried, and leaves nothing behind', async () => {
  const blocked = join(folder, 'a-file')
  await writeFile(blocked, '')
  await expect(make(backupsTo(folderPlace(blocked)))).rejects.toThrow('EEXIST')
  expect(await newest()).toMatchObject([{ status: 'failed', error: expect.stringContaining('EEXIST'), bytes: null }])

  const server = await openObjectStoreServer()
  const place = storePlace('object-store:backups', 'backups', server.client({}, { attempts: 1 }))
  server.whenAsked((_, key) => {
    if (key.endsWith('?uploads')) server.become(403, 1)
  })
  await expect(make(backupsTo(place))).rejects.toThrow('The object store answers 403')
  expect([server.objects.size, server.uploads.size]).toEqual([0, 0])
  server.whenAsked(() => {})
  await make(backupsTo(place))
  expect(await newest()).toMatchObject([{ status: 'good' }, { status: 'failed', bytes: null }, { status: 'failed' }])
  expect(server.objects.size).toBe(1)
  expect(server.uploads.size).toBe(0)
  server.close()
})

test('without the right to create databases, the backup is read to its end instead', async () => {
  const role = `limited_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client({ connectionString: own.url })
  await admin.connect()
  const { rows } = await admin.query<{ name: string; owner: string }>('select current_database() as name, current_user as owner')
  await admin.query(`create role ${role} login password 'x'; grant ${rows[0]!.owner} to ${role}`)
  await admin.query(`alter role ${role} nocreatedb`)
  const url = own.url.replace(/\/\/[^/@]*@/, `//${role}:x@`).replace(/^(\w+:\/\/)(?![^/]*@)/, `$1${role}:x@`)
  const limited = openDatabase(url)
  const { log, text } = keepLog()
  try {
    await makeBackup({ db: limited, log, backups: backupsTo(folderPlace(folder)) }, {})
    expect(await newest(), text()).toMatchObject([{ status: 'good', test: 'read' }])
    expect(text()).toContain('cannot create databases')
  } finally {
    await limited.close()
    await admin.query(`revoke ${rows[0]!.owner} from ${role}; drop role ${role}`)
    await admin.end()
  }
})

test('two nodes at once make one backup', async () => {
  const backups = backupsTo(folderPlace(folder), { test: 'read' })
  const context = { db: own.db, vault, log, allowed: () => false, site: 'https://gold.example', backups }
  const nodes = await Promise.all([startWorker(context), startWorker(context)])
  await own.db.execute(sql`update jobs set run_at = now() where kind = 'make_backup'`)
  await until(async () => (await newest())[0]?.status === 'good')
  await Promise.all(nodes.map((node) => node.stop()))
  expect(await newest()).toMatchObject([{ status: 'good' }])
  // A late job for the same slot finds it done.
  const slot = new Date(Date.now() - 60_000).toISOString()
  await makeBackup({ db: own.db, log, backups }, { slot })
  expect(await own.db.rows(sql`select from backups`)).toHaveLength(1)
})

test('leftovers of a killed node are removed by the next, and recorded as failed', async () => {
  await own.db.execute(sql`insert into backups (place, name) values (${folder}, 'half.backup.age')`)
  await writeFile(join(folder, 'half.backup.age.part'), 'half')
  await make(backupsTo(folderPlace(folder), { test: 'read' }))
  const [made, half] = await newest()
  expect(made).toMatchObject({ status: 'good' })
  expect(half).toMatchObject({ status: 'failed', error: 'The node that made it ended before it was done.' })
  expect(await readdir(folder)).toEqual([made!.name])
  expect((await stat(join(folder, made!.name))).mode & 0o777).toBe(0o600)
})
