import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../src/contract/sets.ts'
import { goldmaster } from './support/callers/command.ts'
import { createEmptyDatabase } from './support/database.ts'
import { freePort } from './support/servers/free-port.ts'
import { until } from './support/until.ts'

/** The operator's workflow with the shipped program: back up while people write, restore elsewhere, move to an external PostgreSQL. */

const TASKS = '/api/v1/projects/1/tasks'
const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl' }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  tokens: [{ key: 'ci', user: 'lead', name: 'ci', scopes: SCOPES }],
}

let folder: string
let port: number
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-backup-'))
  port = await freePort()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const at = (name: string) => join(folder, name)
const environment = (env: Record<string, string>) => ({
  PORT: String(port),
  DEMO: 'off',
  LIMIT_TASK_WRITES: 'off',
  LIMIT_REQUESTS_PER_IP: 'off',
  ...env,
})

async function admin(env: Record<string, string>, ...words: string[]): Promise<string> {
  const run = goldmaster(['admin', ...words], env)
  const code = await run.ended
  if (code !== 0) throw new Error(run.said())
  return run.said()
}

async function whileServing<T>(env: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const service = goldmaster(['serve'], environment(env))
  try {
    await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200)
    return await work()
  } finally {
    service.child.kill('SIGTERM')
    expect(await service.ended, service.said()).toBe(0)
  }
}

const api = (token: string, path: string, body?: object) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })

async function titles(token: string): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await api(token, `${TASKS}?limit=50${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    const page = (await answer.json()) as { tasks: { title: string }[]; pagination: { next_cursor: string | null } }
    found.push(...page.tasks.map(({ title }) => title))
    cursor = page.pagination.next_cursor
  }
  return found.reverse()
}

test('a backup under writes, restored elsewhere and moved to another PostgreSQL, has everything acknowledged', async () => {
  const file = at('monday.backup')
  const [first, second] = [{ DATA_DIR: at('first') }, { DATA_DIR: at('second') }]
  const { token, before, written } = await whileServing(first, async () => {
    await writeFile(at('world.json'), JSON.stringify(WORLD))
    const made = await admin(first, 'load', at('world.json'))
    const { token } = JSON.parse(made.slice(made.indexOf('{'))).tokens.ci
    const written: string[] = []
    let over = false
    const write = async () => {
      while (!over) {
        const title = `task ${written.length}`
        expect((await api(token, TASKS, { task: { title } })).status).toBe(201)
        written.push(title)
      }
    }
    const writing = write()
    await until(async () => written.length > 20)
    const before = written.length
    await admin(first, 'backup', file).finally(() => {
      over = true
    })
    await writing
    return { token, before, written }
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  await expect(admin(first, 'backup', file)).rejects.toThrow('already exists')
  await expect(admin(first, 'restore', file)).rejects.toThrow('not empty')

  expect(await admin(second, 'restore', file)).toMatch(/^Restored [\d,]+ rows/m)
  const secret = await readFile(at('second/secret-key'), 'utf8')
  expect(secret).toBe(await readFile(at('first/secret-key'), 'utf8'))
  const restored = await whileServing(second, async () => {
    await expect(admin(second, 'move', '--to', 'postgres://127.0.0.1:1/none')).rejects.toThrow('running: stop it first')
    return titles(token)
  })
  expect(restored.length).toBeGreaterThanOrEqual(before)
  expect(restored).toEqual(written.slice(0, restored.length))

  await writeFile(at('phrase.txt'), 'correct horse battery staple\n')
  const phrase = ['--passphrase-file', at('phrase.txt')]
  const sealed = at('monday.backup.age')
  expect(await admin(second, 'backup', sealed, ...phrase)).toContain('It is encrypted')
  expect((await readFile(sealed)).subarray(0, 21).toString()).toBe('age-encryption.org/v1')
  const third = { DATA_DIR: at('third') }
  const wrong = { ...third, BACKUP_PASSPHRASE: 'another passphrase' }
  await expect(admin(third, 'restore', sealed)).rejects.toThrow('This backup is encrypted: give --passphrase-file')
  await expect(admin(wrong, 'restore', sealed)).rejects.toThrow(
    /^goldmaster: The passphrase is not the one that this backup was encrypted with\.\s*$/,
  )
  await expect(stat(at('third'))).rejects.toThrow('ENOENT')
  expect(await admin({ ...third, BACKUP_PASSPHRASE_FILE: at('phrase.txt') }, 'restore', sealed)).toMatch(/^Restored [\d,]+ rows/m)
  expect(await whileServing(third, () => titles(token))).toEqual(restored)

  const own = await createEmptyDatabase()
  try {
    expect(await admin(second, 'move', '--to', own.url)).toContain('SECRET_KEY set to the content of')
    await expect(admin(second, 'move', '--to', own.url)).rejects.toThrow('not empty')
    const moved = { DATABASE_URL: own.url, SECRET_KEY: secret.trim(), NODE_ENV: 'production' }
    expect(await whileServing(moved, () => titles(token))).toEqual(restored)
    await expect(admin({ ...moved, SECRET_KEY: 'x'.repeat(32) }, 'restore', file)).rejects.toThrow('SECRET_KEY is not the key')
  } finally {
    await own.drop()
  }
})
