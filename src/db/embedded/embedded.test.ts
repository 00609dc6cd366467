import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chmod, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linkLibraries } from './binaries.ts'
import { startEmbedded } from './embedded.ts'

const root = process.getuid?.() === 0
let folder: string
let home: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'gm embedded-')))
  home = join(folder, 'data')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function ask(url: string, ...statements: string[]) {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

const pidIn = async (home: string) => Number.parseInt(await readFile(join(home, 'postgres/postmaster.pid'), 'utf8'), 10)

/** A zombie process counts as ended. */
async function runs(pid: number): Promise<boolean> {
  if (process.platform === 'linux') return /\) [^ZX] /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function gone(pid: number) {
  while (await runs(pid)) await sleep(10)
}

/** Another process that starts the database, runs `body` with its URL in `url`, and stays until it is killed. */
async function otherProcess(home: string, body: string): Promise<{ child: ChildProcess; said: string }> {
  const program = `
    import { startEmbedded } from ${JSON.stringify(new URL('embedded.ts', import.meta.url).href)}
    import { Client } from 'pg'
    const { url } = await startEmbedded(${JSON.stringify(home)})
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    await client.connect()
    ${body}
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(child.stdout!, 'data')
  return { child, said: String(said).trim() }
}

async function kill(child: ChildProcess) {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

describe('the built-in PostgreSQL', () => {
  test('starts in an empty folder, accessible only to its owner and to no network', async () => {
    const database = await startEmbedded(home)
    const [row] = await ask(
      database.url,
      `select current_database() as database, current_user as user, current_setting('listen_addresses') as addresses,
         current_setting('server_encoding') as encoding, current_setting('data_checksums') as checksums, lower('ÄÖ') as lower`,
    )
    expect(row).toEqual({
      database: 'goldmaster',
      user: 'goldmaster',
      addresses: '',
      encoding: 'UTF8',
      checksums: 'on',
      lower: 'äö',
    })
    expect((await stat(join(home, 'postgres'))).mode & 0o777).toBe(0o700)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    await ask(database.url, 'create table kept (id int primary key)', 'insert into kept select generate_series(1, 10)')
    const pid = await pidIn(home)
    await database.stop()
    await expect.poll(() => runs(pid)).toBe(false)
  })

  test('is shared by a second caller and ends with the last one', async () => {
    const first = await startEmbedded(home)
    const pid = await pidIn(home)
    const second = await startEmbedded(home)
    expect(await pidIn(home)).toBe(pid)
    await first.stop()
    expect(await ask(second.url, 'select count(*)::int from kept')).toEqual([{ count: 10 }])
    await Promise.all([second.stop(), second.stop()])
    await expect.poll(() => runs(pid)).toBe(false)
  })

  test('restarts by itself, at the same URL and with every acknowledged row, when its process is killed', async () => {
    const database = await startEmbedded(home)
    await ask(database.url, 'insert into kept select generate_series(11, 20)')
    const pid = await pidIn(home)
    process.kill(pid, 'SIGKILL')
    await gone(pid)
    await expect.poll(() => ask(database.url, 'select 1').catch(() => [])).toHaveLength(1)
    expect(await pidIn(home)).not.toBe(pid)
    expect(await ask(database.url, 'select count(*)::int from kept')).toEqual([{ count: 20 }])
    await database.stop()
  })

  test('is taken over from a process that was killed', async () => {
    const { child } = await otherProcess(home, `console.log('ready')`)
    const pid = await pidIn(home)
    await kill(child)
    const database = await startEmbedded(home)
    expect(await pidIn(home)).toBe(pid)
    // Until the server notices the killed process, that one still counts as a user.
    const users = `select from pg_stat_activity where application_name = 'goldmaster keeper'`
    await expect.poll(() => ask(database.url, users)).toHaveLength(1)
    await database.stop()
    await expect.poll(() => runs(pid)).toBe(false)
  })

  test('keeps every acknowledged row when it is killed together with the process that started it', async () => {
    const { child, said } = await otherProcess(
      home,
      `let last = 100
       for (; last < 200; last++) await client.query('insert into kept values ($1)', [last])
       console.log(last - 1)
       await client.query('begin; insert into kept values (999)')`,
    )
    const pid = await pidIn(home)
    process.kill(pid, 'SIGKILL')
    await kill(child)
    await gone(pid)
    const database = await startEmbedded(home)
    expect(await ask(database.url, 'select max(id) as last, count(*)::int as rows from kept where id >= 100')).toEqual([
      { last: Number(said), rows: 100 },
    ])
    await database.stop()
  })

  test('starts although the pid of its last process now belongs to another one', async () => {
    const { uid, gid } = await stat(join(home, 'postgres'))
    const stranger = spawn('sleep', ['60'], root ? { uid, gid } : {})
    await writeFile(join(home, 'postgres/postmaster.pid'), `${stranger.pid}\n${join(home, 'postgres')}\n1700000000\n5432\n.\n\n`)
    const database = await startEmbedded(home)
    expect(await pidIn(home)).not.toBe(stranger.pid)
    await database.stop()
    expect(stranger.exitCode ?? stranger.signalCode).toBe(null)
    stranger.kill()
  })

  test('is created once when several start at the same moment', async () => {
    const crowded = join(folder, 'crowded')
    const callers = await Promise.all([startEmbedded(crowded), startEmbedded(crowded), startEmbedded(crowded)])
    const seen = await Promise.all(callers.map(({ url }) => ask(url, 'select system_identifier from pg_control_system()')))
    expect(new Set(seen.map(([row]) => row!.system_identifier)).size).toBe(1)
    expect((await readdir(crowded)).sort()).toEqual(['postgres', 'postgres.log'])
    const pid = await pidIn(crowded)
    await Promise.all(callers.map((caller) => caller.stop()))
    await expect.poll(() => runs(pid)).toBe(false)
  })

  test('works below a path too long for a socket', async () => {
    const deep = join(folder, 'a'.repeat(60), 'b'.repeat(60), 'data')
    const database = await startEmbedded(deep)
    expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await database.stop()
    const link = new URL(database.url.replace('@/', '@host/')).searchParams.get('host')!
    expect(await readlink(link)).toBe(join(deep, 'postgres'))
    await rm(link)
  })

  test.runIf(root)('runs for root below a folder that only root can access, under another account', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o700 })
    const database = await startEmbedded(join(closed, 'data'))
    expect(await ask(database.url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await stat(join(closed, 'data/postgres'))).uid).toBeGreaterThan(0)
    await database.stop()
  })

  test('reports in one line that a folder cannot be used', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    await expect(startEmbedded(file)).rejects.toThrow(`The data folder ${file} cannot be used (it is a file)`)
    await expect(startEmbedded(join(file, 'data'))).rejects.toThrow('a part of its path is a file')
  })

  test.runIf(!root)('reports in one line that a folder is inaccessible to this user', async () => {
    const closed = join(folder, 'read-only')
    await mkdir(closed, { mode: 0o500 })
    await expect(startEmbedded(closed)).rejects.toThrow(`The data folder ${closed} cannot be used (permission denied)`)
    await chmod(closed, 0o700)
  })

  test('refuses a folder of another version, or with other content', async () => {
    const other = join(folder, 'other')
    await mkdir(join(other, 'postgres'), { recursive: true })
    await writeFile(join(other, 'postgres/notes.txt'), '')
    await expect(startEmbedded(other)).rejects.toThrow(`The folder ${join(other, 'postgres')} is not empty and holds no database`)
    await writeFile(join(other, 'postgres/PG_VERSION'), '17\n')
    await expect(startEmbedded(other)).rejects.toThrow(
      `The database in ${join(other, 'postgres')} was made by PostgreSQL 17 and this release brings 18`,
    )
  })
})

test('the links between libraries are created if an install without scripts left them out', async () => {
  const native = join(folder, 'copy')
  await mkdir(join(native, 'lib'), { recursive: true })
  await writeFile(join(native, 'lib/libpq.so.5.18'), 'the library')
  await writeFile(
    join(native, 'pg-symlinks.json'),
    JSON.stringify([{ source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' }]),
  )
  await linkLibraries(native)
  await linkLibraries(native)
  expect(await readlink(join(native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18')
  await access(join(native, 'lib/libpq.so.5'))
})
