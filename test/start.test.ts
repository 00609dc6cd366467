import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROGRAM } from './support/built.ts'
import { freePort } from './support/free-port.ts'
import { until } from './support/until.ts'

/** The program as people run it: its own process, its own folder, real signals. */

const ROOT = resolve(import.meta.dirname, '..')
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

/** Nothing of the tests' own environment: a DATABASE_URL there is not meant for these. */
function run(args: string[], env: Record<string, string> = {}): Running {
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: ROOT,
    // A group of its own, as a terminal gives it.
    detached: true,
    env: { PATH, HOME, DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'info', ...env },
  })
  let [said, complained] = ['', '']
  child.stdout!.on('data', (chunk) => {
    said += chunk
  })
  child.stderr!.on('data', (chunk) => {
    // The greeting is for people, and no complaint.
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

/** Creates tasks on sixteen connections until the server is gone; tells their label and the titles it has acknowledged so far. */
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
  /** A test that failed once may have left none. */
  const beThere = async () => {
    if (server.child.exitCode !== null || server.child.signalCode !== null) server = await serve()
  }

  test('starts from nothing, shows around, and its curl line works', async () => {
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

  test('is not what a command finds in another folder, and the command says that it began anew', async () => {
    const elsewhere = join(folder, 'elsewhere')
    for (const complaint of [
      `A new database was made in ${elsewhere}; set DATA_DIR or DATABASE_URL to reach another one.\n`,
      '',
    ]) {
      const command = run(['admin', 'account', 'list', '--json'], { DATA_DIR: elsewhere })
      expect(await ended(command), command.complained()).toBe(0)
      expect(command.complained()).toBe(complaint)
    }
  })

  test('does not take a port that is taken, and leaves who has it alone', async () => {
    const second = run(['serve'], { LOG_LEVEL: 'silent' })
    expect(await ended(second)).toBe(1)
    expect(second.complained()).toMatch(/^goldmaster: Port \d+ [^\n]*taken[^\n]*\n$/)
    expect((await ask(token, tasks)).status).toBe(200)
  })

  test('says that HOST is no address of this machine', async () => {
    const second = run(['serve'], { LOG_LEVEL: 'silent', HOST: '192.0.2.1' })
    expect(await ended(second)).toBe(1)
    expect(second.complained()).toMatch(/^goldmaster: HOST 192\.0\.2\.1 is no address of this machine[^\n]*\n$/)
  })

  test('told to stop under load answers what it has accepted and ends within ten seconds', async () => {
    await beThere()
    const { mark, acknowledged, gone } = createUntilGone(token, tasks)
    await until(() => acknowledged.length > 100)
    server.child.kill('SIGTERM')
    // Out of patience, which is after nine seconds, it would end with 1.
    expect(await ended(server)).toBe(0)
    await gone
    server = await serve()
    expect(server.said()).not.toContain('demo studio')
    expect(server.said()).toContain('admin user set-password maren@ninthteapot.example')
    expect(await titlesOf(token, tasks, mark)).toEqual(acknowledged.sort())
  })

  test('told by Ctrl-C, which npm passes on once more, finishes and warns of nothing', async () => {
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

  test('killed together with its database has lost nothing it acknowledged', async () => {
    await beThere()
    const { mark, acknowledged, gone } = createUntilGone(token, tasks)
    await until(() => acknowledged.length > 100)
    const postmaster = Number.parseInt(await readFile(join(data, 'postgres/postmaster.pid'), 'utf8'), 10)
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

describe('a start that cannot work ends with one clear line', () => {
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

  test.runIf(process.getuid?.() !== 0)('about a folder where nothing may be written', async () => {
    const closed = join(folder, 'closed')
    await mkdir(closed, { mode: 0o500 })
    expect(await refused({ DATA_DIR: join(closed, 'data') })).toContain(closed)
  })

  test('about a database that is not there, without its password', async () => {
    const secret = { SECRET_KEY: 'x'.repeat(32) }
    const complaint = await refused({ DATABASE_URL: `postgres://me:hush@127.0.0.1:${await freePort()}/gold`, ...secret })
    expect(complaint).toContain('DATABASE_URL')
    expect(complaint).toContain('ECONNREFUSED')
    expect(complaint).not.toContain('hush')
  })

  test('about a setting nobody can read', async () => {
    expect(await refused({ PORT: 'eighty' })).toContain('PORT')
  })
})
