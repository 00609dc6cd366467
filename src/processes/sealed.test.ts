import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confinementHere } from './confine.ts'
import { ProcessPool } from './pool.ts'

/** What a hostile file would have a reader do; it answers with the code of the failure, or with what it got. */
const PROBE = `
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
const attempts = {
  read: ({ file }) => readFileSync(file, 'utf8'),
  write: ({ file }) => writeFileSync(file, 'changed'),
  fork: ({ program }) => { const { error, status } = spawnSync(program, ['-e', '0']); if (error) throw error; return String(status) },
  environment: () => Object.keys(process.env).join(' '),
  connect: ({ port }) => new Promise((done, fail) => connect(port, '127.0.0.1').on('connect', () => done('connected')).on('error', fail)),
}
process.on('message', async ({ job }) => {
  try {
    process.send({ got: await attempts[job.attempt](job) })
  } catch (error) {
    process.send({ refused: error.code ?? error.message })
  }
})
process.on('disconnect', () => process.exit())
`

interface Attempt {
  attempt: string
  file?: string
  program?: string
  port?: number
}
type Answer = { got: string } | { refused: string }

let folder: string
let outside: string
let sealed: ProcessPool<Attempt, Answer>
let open: ProcessPool<Attempt, Answer>
const server = createServer((socket) => socket.end())
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-'))
  outside = await mkdtemp(join(tmpdir(), 'keys-'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'probe.js'), PROBE)
  await writeFile(join(outside, 'secret-key'), 'the key')
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  process.env.SECRET_KEY = 'the key'
  const settings = { beside: pathToFileURL(join(folder, 'pool.js')).href, entry: 'probe', heapMb: 64, deadlineMs: 60_000 }
  sealed = new ProcessPool({ ...settings, isSealed: true })
  open = new ProcessPool({ ...settings, environment: /^SECRET_/ })
})
afterAll(async () => {
  sealed.stop()
  open.stop()
  server.close()
  delete process.env.SECRET_KEY
  for (const each of [folder, outside]) await rm(each, { recursive: true })
})

const portOf = () => (server.address() as { port: number }).port

test('no process has the environment of the service, and one has what it needs', async () => {
  const names = (await sealed.run({ attempt: 'environment' })) as { got: string }
  expect(names.got).not.toContain('SECRET_KEY')
  expect(names.got).not.toContain('PATH')
  const needed = (await open.run({ attempt: 'environment' })) as { got: string }
  expect(needed.got).toContain('SECRET_KEY')
})

test('a process that is not sealed reads a key, connects and starts a program: the probe works', async () => {
  expect(await open.run({ attempt: 'read', file: join(outside, 'secret-key') })).toEqual({ got: 'the key' })
  expect(await open.run({ attempt: 'connect', port: portOf() })).toEqual({ got: 'connected' })
  expect(await open.run({ attempt: 'fork', program: process.execPath })).toEqual({ got: '0' })
})

test('a sealed process reads its own code, but no key, and writes no file', async (context) => {
  expect(await sealed.run({ attempt: 'read', file: join(folder, 'probe.js') })).toEqual({ got: PROBE })
  if (confinementHere().permission === undefined)
    return context.skip('this version of Node has no permissions: files are not protected')
  for (const attempt of ['read', 'write'])
    expect(await sealed.run({ attempt, file: join(outside, 'secret-key') })).toEqual({ refused: 'ERR_ACCESS_DENIED' })
})

test('a sealed process starts no program', async (context) => {
  if (confinementHere().permission === undefined)
    return context.skip('this version of Node has no permissions: programs can be started')
  expect(await sealed.run({ attempt: 'fork', program: process.execPath })).toEqual({ refused: 'ERR_ACCESS_DENIED' })
})

test('a sealed process reaches no server', async (context) => {
  if (confinementHere().network.length === 0)
    return context.skip('unshare is missing or forbidden here: the network is not closed')
  expect(await sealed.run({ attempt: 'connect', port: portOf() })).toEqual({ refused: 'ENETUNREACH' })
})
