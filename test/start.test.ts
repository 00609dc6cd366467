import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { PROGRAM } from './support/built.ts'
import { freePort } from './support/servers/free-port.ts'
import { until } from './support/until.ts'

/** The program as people run it: a separate process and folder, real signals. */

const ROOT = resolve(import.meta.dirname, '..')
const SECRET_KEY = 'x'.repeat(32)
const LIMITS_OFF = { LIMIT_TASK_WRITES: 'off', LIMIT_REQUESTS_PER_IP: 'off' }

let folder: string
let data: string
let port: number
const started = new Set<ChildProcess>()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-start-'))
  data = join(folder, 'data')
  port = await freePort()
})
afterAll(async () => {
  await Promise.all([...started].map(stopped))
  await rm(folder, { recursive: true, force: true })
})

interface Running {
  child: ChildProcess
  said(): string
  complained(): string
}

/** Without the tests' own environment: its DATABASE_URL is not meant for these. */
function run(args: string[], env: Record<string, string> = {}, { program = process.execPath, cwd = ROOT } = {}): Running {
  const { PATH, HOME } = process.env
  const child = spawn(program, program === process.execPath ? [PROGRAM, ...args] : args, {
    cwd,
    // A separate process group, as in a terminal.
    detached: true,
    env: { PATH, HOME, DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'info', ...env },
  })
  let [said, complained] = ['', '']
  child.stdout!.on('data', (chunk) => {
    said += chunk
  })
  child.stderr!.on('data', (chunk) => {
    // The greeting is for people, and not an error.
    if (String(chunk).includes('Goldmaster runs at')) said += chunk
    else complained += chunk
  })
  started.add(child)
  child.on('exit', () => started.delete(child))
  return { child, said: () => said, complained: () => complained }
}

async function ended({ child }: Running): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function stopped(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await Promise.race([once(child, 'exit'), sleep(12_000).then(() => child.kill('SIGKILL'))])
}

const postmasterPid = async () => Number.parseInt(await readFile(join(data, 'postgres/postmaster.pid'), 'utf8'), 10)

/** A zombie process counts as ended. */
const isRunning = (pid: number) => {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.startsWith('Z')
}

async function serve(env: Record<string, string> = {}): Promise<Running> {
  const running = run(['serve'], { ...LIMITS_OFF, ...env })
  await until(() => {
    if (running.child.exitCode !== null) throw new Error(running.complained())
    return running.said().includes('Goldmaster runs at')
  })
  return running
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })
const ask = (token: string, path: string, body?: object) =>
  new Promise<{ status: number; text: string }>((settle, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const sent = request({ host: '127.0.0.1', port, agent, path, headers, method: body ? 'POST' : 'GET' }, (reply) => {
      let text = ''
      reply.on('data', (chunk) => {
        text += chunk
      })
      reply.on('end', () => settle({ status: reply.statusCode!, text })).on('error', reject)
    })
    sent.on('error', reject).end(body && JSON.stringify(body))
  })

let rounds = 0

/** Creates tasks on sixteen connections until the server is gone; returns their label and the titles it has acknowledged so far. */
function createUntilGone(token: string, tasks: string) {
  const mark = `round-${++rounds}`
  const acknowledged: string[] = []
  const one = async (worker: number) => {
    for (let i = 0; ; i++) {
      const title = `${mark} ${worker}-${i}`
      const answer = await ask(token, tasks, { task: { title, labels: [mark] } }).catch(() => undefined)
      if (answer === undefined) return
      expect(answer.status, answer.text).toBe(201)
      acknowledged.push(title)
    }
  }
  return { mark, acknowledged, gone: Promise.all(Array.from({ length: 16 }, (_, worker) => one(worker))) }
}

async function titlesOf(token: string, tasks: string, mark: string): Promise<string[]> {
  const titles: string[] = []
  for (let cursor = ''; ; ) {
    const { text } = await ask(token, `${tasks}?label=${mark}&limit=50${cursor && `&cursor=${cursor}`}`)
    const page = JSON.parse(text)
    titles.push(...page.tasks.map((task: { title: string }) => task.title))
    if (!page.pagination.has_more) return titles.sort()
    cursor = page.pagination.next_cursor
  }
}

describe('goldmaster serve', () => {
  let server: Running
  let token: string
  let tasks: string
  /** An earlier failed test may have left none. */
  const beThere = async () => {
    if (server.child.exitCode !== null || server.child.signalCode !== null) server = await serve()
  }

  test('starts from nothing, prints an introduction, and its curl line works', async () => {
    server = await serve()
    const said = server.said()
    expect(said).toContain(`http://localhost:${port}/api/docs`)
    expect(said).toContain(data)
    const [, printed, url] = /curl -H "Authorization: Bearer (\w+)" "([^"]+)"/.exec(said)!
    token = printed!
    const { pathname, search } = new URL(url!)
    const answer = await ask(token, pathname + search)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text).build_runs.length).toBeGreaterThan(0)
    expect(server.complained()).toBe('')
    tasks = pathname.replace('build_runs', 'tasks')
    for (const line of said.split('\n').filter((one) => one.startsWith('{'))) expect(line).not.toContain(token)
  })

  test('shares its database with a second command', async () => {
    const command = run(['admin', 'account', 'list', '--json'])
    expect(await ended(command), command.complained()).toBe(0)
    const listed = JSON.parse(command.said())
    expect(JSON.stringify(listed)).toContain('"plan"')
    expect(command.complained()).toBe('')
    expect((await ask(token, tasks)).status).toBe(200)
  })

  test('gives tools its URL, also through a command without the port', async () => {
    const command = run(['admin', 'integration', 'add', '--project', '1', '--provider', 'jenkins', '--json'], { PORT: '' })
    expect(await ended(command), command.complained()).toBe(0)
    expect(command.said()).toContain(`http://localhost:${port}/webhooks/jenkins?token=`)
    expect(command.said()).not.toContain(':8080')
  })

  test('is not in another folder, and a command creates nothing there unless it fills a new one', async () => {
    const elsewhere = join(folder, 'elsewhere')
    for (const words of [
      ['account', 'list'],
      ['backup', '-'],
    ]) {
      const command = run(['admin', ...words], { DATA_DIR: elsewhere })
      expect(await ended(command)).toBe(1)
      expect(command.complained()).toMatch(
        new RegExp(`^goldmaster: No Goldmaster data in ${elsewhere}\\. [^\n]*set its DATA_DIR or DATABASE_URL[^\n]*\n$`),
      )
    }
    expect(existsSync(elsewhere)).toBe(false)
    const world = join(folder, 'world.json')
    await writeFile(world, '{"accounts": [{"key": "owl", "name": "Night Owl"}]}')
    const load = run(['admin', 'load', world], { DATA_DIR: elsewhere })
    expect(await ended(load), load.complained()).toBe(0)
    expect(load.complained()).toContain(
      `Created a new database in ${elsewhere}. To use another one, set DATA_DIR or DATABASE_URL.\n`,
    )
    const list = run(['admin', 'account', 'list'], { DATA_DIR: elsewhere })
    expect(await ended(list), list.complained()).toBe(0)
    expect(list.said()).toContain('Night Owl')
  })

  test('refuses a port that is in use, and does not disturb its owner', async () => {
    const second = run(['serve'], { LOG_LEVEL: 'silent' })
    expect(await ended(second)).toBe(1)
    expect(second.complained()).toMatch(/^goldmaster: Port \d+ [^\n]*taken[^\n]*\n$/)
    expect((await ask(token, tasks)).status).toBe(200)
  })

  test('reports that HOST is not an address of this machine', async () => {
    const second = run(['serve'], { LOG_LEVEL: 'silent', HOST: '192.0.2.1' })
    expect(await ended(second)).toBe(1)
    expect(second.complained()).toMatch(/^goldmaster: HOST 192\.0\.2\.1 is no address of this machine[^\n]*\n$/)
  })

  test('that is stopped under load responds to accepted requests and ends within ten seconds', async () => {
    await beThere()
    const { mark, acknowledged, gone } = createUntilGone(token, tasks)
    await until(() => acknowledged.length > 100)
    server.child.kill('SIGTERM')
    // After the timeout it would exit with 1.
    expect(await ended(server)).toBe(0)
    await gone
    server = await serve()
    expect(server.said()).not.toContain('demo studio')
    expect(server.said()).toContain('admin user set-password maren@ninthteapot.example')
    expect(await titlesOf(token, tasks, mark)).toEqual(acknowledged.sort())
  })

  test('that is stopped by Ctrl-C, which npm forwards again, finishes without a warning', async () => {
    await beThere()
    const { mark, acknowledged, gone } = createUntilGone(token, tasks)
    await until(() => acknowledged.length > 100)
    const closed = once(server.child, 'close')
    // To all of its processes, as a terminal does, twice.
    process.kill(-server.child.pid!, 'SIGINT')
    server.child.kill('SIGINT')
    expect(await closed).toEqual([0, null])
    await gone
    const lines = server
      .said()
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    expect(lines.filter(({ level }) => level > 30)).toEqual([])
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'stopping' }))
    expect(server.complained()).toBe('')
    server = await serve()
    expect(await titlesOf(token, tasks, mark)).toEqual(acknowledged.sort())
  })

  test('that is stopped twice while a request waits for a lock ends at once, with its database', async () => {
    await beThere()
    const postmaster = await postmasterPid()
    const locker = new Client({ host: join(data, 'postgres'), user: 'goldmaster', database: 'goldmaster' })
    locker.on('error', () => {})
    await locker.connect()
    await locker.query('begin; lock table tasks in access exclusive mode')
    const refused = ask(token, tasks).catch(() => {})
    const waits = `select from pg_locks where relation = 'tasks'::regclass and not granted`
    await until(async () => (await locker.query(waits)).rowCount! > 0)
    server.child.kill('SIGTERM')
    // Within half a second they would count as one.
    await until(() => server.said().includes('stopping'))
    await sleep(600)
    server.child.kill('SIGTERM')
    expect(await ended(server)).toBe(1)
    await refused
    await until(() => !isRunning(postmaster))
  })

  test('that is stopped after the reader of its output has left ends, with its database', async () => {
    await beThere()
    const postmaster = await postmasterPid()
    for (const output of [server.child.stdout!, server.child.stderr!]) output.destroy()
    expect((await ask(token, tasks)).status).toBe(200)
    server.child.kill('SIGTERM')
    expect(await ended(server)).toBe(0)
    await until(() => !isRunning(postmaster))
  })

  test('started by npm, which sends SIGTERM only to a shell, still ends', async () => {
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ scripts: { start: `"${process.execPath}" "${PROGRAM}" serve` } }),
    )
    const npm = run(['start'], { ...LIMITS_OFF }, { program: 'npm', cwd: folder })
    await until(() => npm.said().includes('Goldmaster runs at'))
    const postmaster = await postmasterPid()
    const closed = once(npm.child, 'close')
    npm.child.kill('SIGTERM')
    // Its output stays open as long as one of its processes is alive.
    await closed
    expect(isRunning(postmaster)).toBe(false)
  })

  test('killed together with its database has lost nothing it acknowledged', async () => {
    await beThere()
    const { mark, acknowledged, gone } = createUntilGone(token, tasks)
    await until(() => acknowledged.length > 100)
    const postmaster = await postmasterPid()
    server.child.kill('SIGKILL')
    process.kill(postmaster, 'SIGKILL')
    await ended(server)
    await gone
    server = await serve()
    const kept = new Set(await titlesOf(token, tasks, mark))
    expect(acknowledged.filter((title) => !kept.has(title))).toEqual([])
    await stopped(server.child)
  })
})

describe('a failed start ends with one clear line', () => {
  const refused = async (env: Record<string, string>) => {
    const running = run(['serve'], { LOG_LEVEL: 'silent', ...env })
    expect(await ended(running), running.said()).toBe(1)
    expect(running.complained()).toMatch(/^goldmaster: [^\n]+\n$/)
    return running.complained()
  }

  test('about a folder that cannot be written', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    expect(await refused({ DATA_DIR: join(file, 'data') })).toContain(file)
  })

  test.runIf(process.getuid?.() !== 0)('about a folder without write permission', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o500 })
    expect(await refused({ DATA_DIR: join(closed, 'data') })).toContain(closed)
  })

  test('about settings that the database refuses, without the password', async () => {
    const database = await startEmbedded(data)
    const url = (user: string, name: string) =>
      `postgres://${user}:hush@/${name}?host=${encodeURIComponent(join(data, 'postgres'))}&port=5432`
    const complaint = async (DATABASE_URL: string) => {
      const said = await refused({ DATABASE_URL, SECRET_KEY })
      expect(said).toContain('DATABASE_URL')
      expect(said).not.toContain('hush')
      return said
    }
    expect(await complaint(url('goldmaster', 'nowhere'))).toContain('database "nowhere" does not exist')
    expect(await complaint(url('nobody', 'goldmaster'))).toContain('role "nobody" does not exist')
    await complaint('postgres//127.0.0.1:5432/gold')
    await database.stop()
  })

  test('about an invalid setting', async () => {
    expect(await refused({ PORT: 'eighty' })).toContain('PORT')
  })
})

describe('while its database is unreachable', () => {
  test('it waits, reports that it is not ready, and serves once the database is back, without a restart', async () => {
    const socket = encodeURIComponent(join(data, 'postgres'))
    const DATABASE_URL = `postgres://goldmaster@/goldmaster?host=${socket}&port=5432`
    // As the systemd unit would restart it.
    const starts: Running[] = []
    const begin = () => {
      const running = run(['serve'], { ...LIMITS_OFF, DATABASE_URL, SECRET_KEY: keptKey })
      starts.push(running)
      running.child.once('exit', (code) => code !== 0 && starts.length < 5 && begin())
    }
    const keptKey = (await readFile(join(data, 'secret-key'), 'utf8')).trim()
    begin()
    const status = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        (answer) => answer.status,
        () => undefined,
      )
    await until(async () => (await status('/readyz')) === 503)
    expect(await status('/healthz')).toBe(200)
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/projects`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
    const database = await startEmbedded(data)
    await until(async () => (await status('/readyz')) === 200)
    expect(starts).toHaveLength(1)
    expect(starts[0]!.said().split('the service is waiting for its database')).toHaveLength(2)
    await stopped(starts[0]!.child)
    await database.stop()
  })

  test('it can be stopped', async () => {
    const away = run(['serve'], { DATABASE_URL: `postgres://me@127.0.0.1:${await freePort()}/gold`, SECRET_KEY })
    await until(() => away.said().includes('the service is waiting for its database'))
    away.child.kill('SIGTERM')
    expect(await ended(away)).toBe(0)
  })
})
