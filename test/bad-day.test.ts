import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { urlOf } from '../src/db/embedded/address.ts'
import { startEmbedded } from '../src/db/embedded/embedded.ts'
import { goldmaster, type Running } from './support/callers/command.ts'
import { freePort } from './support/servers/free-port.ts'
import { until } from './support/until.ts'

/** One folder with the built-in database, from a first start that is killed again and again to a server that hangs. */
describe.skipIf(process.platform === 'win32')('the built-in database on a bad day', () => {
  let data: string
  let site: string
  let env: Record<string, string>
  let running: Running | undefined
  let token: string
  let signIn: { email: string; password: string }

  beforeAll(async () => {
    data = join(await mkdtemp(join(tmpdir(), 'goldmaster-bad-day-')), 'data')
    const port = await freePort()
    site = `http://127.0.0.1:${port}`
    env = { DATA_DIR: data, PORT: String(port), LOG_LEVEL: 'warn', LIMIT_REQUESTS_PER_IP: 'off' }
  })
  afterAll(async () => {
    running?.child.kill('SIGTERM')
    await running?.ended
    await rm(join(data, '..'), { recursive: true, force: true, maxRetries: 5 })
  })

  const start = () => {
    running = goldmaster(['serve'], env)
    return running
  }
  const untilServing = async ({ child, said }: Running) =>
    until(() => {
      if (child.exitCode !== null) throw new Error(said())
      return said().includes('Goldmaster runs at')
    })
  const postmaster = async () => Number.parseInt(await readFile(join(data, 'postgres/postmaster.pid'), 'utf8'), 10)
  const killBoth = async ({ child, ended }: Running) => {
    const pid = await postmaster()
    child.kill('SIGKILL')
    process.kill(pid, 'SIGKILL')
    await ended
  }
  const query = async (text: string) => {
    const client = new pg.Client(await urlOf(join(data, 'postgres'), 'goldmaster'))
    client.on('error', () => {})
    try {
      await client.connect()
      return { client, rows: (await client.query(text)).rows }
    } catch (error) {
      void client.end().catch(() => {})
      throw error
    }
  }
  const ask = (path: string) => fetch(`${site}${path}`, { headers: { authorization: `Bearer ${token}` } })

  test('after a kill while the cluster is created, the next start creates it again', async () => {
    const first = start()
    await until(async () => (await readdir(data).catch(() => [])).some((name) => name.startsWith('postgres.new-')))
    first.child.kill('SIGKILL')
    await first.ended
    expect(await readdir(data)).not.toContain('postgres')
    start()
    await until(async () => (await readdir(data)).includes('postgres'))
    await until(async () => !(await readdir(data)).some((name) => name.startsWith('postgres.new-')))
  })

  test('after a kill in the middle of the migrations, the next start continues them', async () => {
    // Locked here, the migrations cannot continue.
    await until(async () => {
      const held = await query('begin; lock table schema_migrations in share mode').catch(() => undefined)
      return held !== undefined
    })
    await killBoth(running!)
    await untilServing(start())
    const { client, rows } = await query('select count(*)::int, count(distinct number)::int as numbers from schema_migrations')
    expect(rows[0].count).toBe(rows[0].numbers)
    await client.end()
  })

  test('after a kill right after the demo was loaded, it exists once and its owner can sign in', async () => {
    const said = running!.said()
    await killBoth(running!)
    token = /API token +(\w+)/.exec(said)![1]!
    const [, email, password] = /Email +(\S+)\n +Password +(\S+)/.exec(said)!
    signIn = { email: email!, password: password! }
    await untilServing(start())
    expect(running!.said()).not.toContain('demo studio')
    const { projects } = (await (await ask('/api/v1/projects')).json()) as { projects: object[] }
    expect(projects).toHaveLength(4)
    const entered = await fetch(`${site}/app/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify(signIn),
    })
    expect(entered.status).toBe(200)
  })

  test('while the server hangs requests get a response and a second start gives up; afterwards everything continues', async () => {
    const pid = await postmaster()
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
    const family = stdout
      .split('\n')
      .map((line) => line.trim().split(/ +/).map(Number))
      .flatMap(([child, parent]) => (parent === pid ? [child!] : []))
    const signal = (name: NodeJS.Signals) => {
      for (const one of [pid, ...family])
        try {
          process.kill(one, name)
        } catch {
          // A backend that ended by itself.
        }
    }
    signal('SIGSTOP')
    try {
      expect((await ask('/api/v1/projects')).status).toBe(503)
      await until(async () => (await fetch(`${site}/readyz`)).status === 503)
      expect((await fetch(`${site}/healthz`)).status).toBe(200)
      await expect(startEmbedded(data, 1_000)).rejects.toThrow(/^The database in \S+ does not answer: see \S+postgres\.log\.$/)
    } finally {
      signal('SIGCONT')
    }
    await until(async () => (await fetch(`${site}/readyz`)).ok)
    expect((await ask('/api/v1/projects')).status).toBe(200)
    expect(await postmaster()).toBe(pid)
    const stopping = running!
    stopping.child.kill('SIGTERM')
    expect(await stopping.ended).toBe(0)
  })
})
