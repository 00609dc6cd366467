import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../contract/routes.ts'
import { VERSION } from '../contract/version.ts'

const { bundleClient, bundleInPlace, bundleTable } = await import(pathToFileURL(resolve('scripts/bundle-client.mjs')).href)

let folder: string
let client: string
let made: { inputs: string[]; imports: string[] }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'goldmaster-bundle-'))
  client = join(folder, 'goldmaster.mjs')
  made = await bundleClient(client)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, input: '' })

test('the client is one file that needs nothing but Node, and holds nothing of the service', () => {
  expect(made.imports.filter((name) => !isBuiltin(name))).toEqual([])
  const rooms = made.inputs.flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? [])
  expect(new Set(rooms)).toEqual(new Set(['cli', 'contract', 'diagnosis', 'mcp']))
  expect(run(client, 'diagnose', '--json', '-')).toMatchObject({ status: 0 })
  expect(run(client, 'serve')).toMatchObject({ status: 2, stderr: expect.stringContaining("unknown command 'serve'") })
  // Started as a program of its own, not through Node.
  expect(execFileSync(client, ['--version'], { encoding: 'utf8' })).toBe(`${VERSION}\n`)
})

test('the installed command line finds its parts', async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await bundleInPlace(join(folder, 'dist'))
  const start = join(folder, 'dist/main.js')
  for (const words of [['diagnose'], ['bridge'], ['mcp'], ['tasks', 'list']])
    expect(run(start, ...words, '--help')).toMatchObject({ status: 0 })
  // Bundled apart, its refusals are still understood.
  const env = { ...process.env, XDG_CONFIG_HOME: folder, GOLDMASTER_HOST: 'http://127.0.0.1:9', GOLDMASTER_TOKEN: '' }
  expect(spawnSync(process.execPath, [start, 'mcp'], { encoding: 'utf8', env }).status).toBe(4)
})

test('the short spelling of the shapes says the same as the long one', async () => {
  const file = join(folder, 'routes.mjs')
  await bundleTable(file)
  const { routes: short } = await import(pathToFileURL(file).href)
  expect(JSON.parse(JSON.stringify(short))).toEqual(JSON.parse(JSON.stringify(routes)))
})

test('telling the version takes at most two and a half times the start of Node alone', () => {
  const time = (...args: string[]) => {
    const began = performance.now()
    run(...args)
    return performance.now() - began
  }
  const rounds = Array.from({ length: 9 }, () => [time('-e', '0'), time(client, '--version')] as const)
  const median = (which: 0 | 1) => rounds.map((round) => round[which]).sort((a, b) => a - b)[4]!
  expect(median(1) / median(0)).toBeLessThan(2.5)
})
