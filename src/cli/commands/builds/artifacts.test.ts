import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { performed } from '../../../../test/support/callers/in-process.ts'
import { openTools, type Tools } from '../../../../test/support/tools.ts'

let tools: Tools
let build: string
let folder: string
const GAME = randomBytes(300_000)
const FILES = {
  'Win64/Game.zip': GAME,
  'Linux/game.zip': Buffer.from('for Linux'),
  'Saved/..\u202e:notes?.txt': Buffer.from('notes'),
}

/** A build with such files; returns its id. */
async function built(job_name: string, files: Record<string, Buffer>): Promise<string> {
  const named = { job_name, build_number: '7' }
  const { json } = await tools.ci({ ...named, status: 'SUCCESS' })
  for (const [name, bytes] of Object.entries(files)) {
    const query = new URLSearchParams({ ...named, name, upload: randomUUID(), size: String(bytes.length), offset: '0' })
    const { status } = await tools.studio.ask(`/webhooks/artifacts?${query}`, {
      method: 'POST',
      raw: Buffer.from(bytes),
      headers: { 'x-webhook-token': tools.tokenOf('jenkins') },
    })
    expect(status).toBe(200)
  }
  return String(json.records[0].id)
}

beforeAll(async () => {
  tools = await openTools()
  build = await built('Package', FILES)
})
afterAll(() => tools.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'goldmaster-download-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const download = (words: string[], site = tools.studio.site) =>
  performed(['builds', 'download', ...words, '--into', join(folder, 'in'), '--project', String(tools.project)], {
    env: {
      GOLDMASTER_HOST: site,
      GOLDMASTER_TOKEN: String(tools.studio.world.tokens!.all!.token),
      NO_COLOR: '1',
      XDG_CONFIG_HOME: folder,
    },
  })
const read = (name: string) => readFileSync(join(folder, 'in', name))

test('files of the same name are saved beside each other, and no name leaves the folder', async () => {
  await download([build])
  expect(readdirSync(join(folder, 'in')).sort()).toEqual(['Linux_game.zip', 'Win64_Game.zip', '___notes_.txt'])
  expect(readdirSync(folder)).toEqual(['in'])
  expect(read('Win64_Game.zip').equals(GAME)).toBe(true)
})

test('no name is a hidden file, a device of Windows, or one that Windows shortens', async () => {
  const names = ['Saved/.htaccess', 'CON', 'logs/nul.tar.gz', 'com1 .txt', 'console.log', 'notes. ', 'end.', '. .', 'LPT²']
  const strange = await built('Strange names', Object.fromEntries(names.map((name) => [name, Buffer.from(name)])))
  await download([strange])
  expect(readdirSync(join(folder, 'in')).sort()).toEqual(
    ['_htaccess', '_CON', '_nul.tar.gz', '_com1 .txt', 'console.log', 'notes__', 'end_', '___', '_LPT²'].sort(),
  )
})

test('artifacts that would be saved under one name are refused, and nothing is saved', async () => {
  const same = await built('Same names', { 'a?b.zip': Buffer.from('1'), 'a*b.zip': Buffer.from('2') })
  await expect(download([same])).rejects.toThrow(/Several artifacts would be saved as a_b\.zip/)
  expect(readdirSync(join(folder, 'in'))).toEqual([])
})

test('a file that exists is kept unless --force is given', async () => {
  const one = ['--latest', '--name', 'Win64/*']
  await download(one)
  writeFileSync(join(folder, 'in', 'Game.zip'), 'mine')
  await expect(download(one)).rejects.toThrow(/exists.*--force/)
  expect(read('Game.zip').toString()).toBe('mine')
  await download([...one, '--force'])
  expect(read('Game.zip').equals(GAME)).toBe(true)
})

test('a download that is interrupted continues where it ended', async () => {
  const ranges: (string | undefined)[] = []
  const proxy = createServer(async (request, response) => {
    const isFile = request.url!.includes('/artifacts/') && !request.url!.includes('latest')
    const { authorization, range } = request.headers
    const reply = await fetch(`${tools.studio.site}${request.url}`, {
      headers: { authorization: authorization!, ...(range && { range }) },
    })
    const body = Buffer.from(await reply.arrayBuffer())
    const kept = ['content-type', 'content-range'].flatMap((name) =>
      reply.headers.get(name) ? [[name, reply.headers.get(name)!]] : [],
    )
    response.writeHead(reply.status, { ...Object.fromEntries(kept), 'content-length': body.length })
    if (isFile) ranges.push(range)
    if (!isFile || ranges.length > 1) response.end(body)
    else response.write(body.subarray(0, 100_000), () => setImmediate(() => response.destroy()))
  })
  await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go))
  try {
    await download(['--latest', '--name', 'Win64/*'], `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  } finally {
    proxy.close()
  }
  expect(ranges).toHaveLength(2)
  expect(ranges[1]).toMatch(/^bytes=[1-9]/)
  expect(read('Game.zip').equals(GAME)).toBe(true)
  expect(readdirSync(join(folder, 'in'))).toEqual(['Game.zip'])
})
