import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectStdio } from '../../test/support/callers/assistant.ts'
import { openStudio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { routes } from '../contract/routes.ts'
import { VERSION } from '../contract/version.ts'
import { SUMMARIES } from './summaries.ts'

const { bundleClient, bundleInPlace, bundleRun, bundleTable } = await import(
  pathToFileURL(resolve('scripts/bundle-client.mjs')).href
)
const { bundleService } = await import(pathToFileURL(resolve('scripts/bundle-service.mjs')).href)

let folder: string
let client: string
/** The client with run alone. */
let small: string
/** The entry file of the compiled program. */
let installed: string
let smallSize: number
let made: { light: string[]; heavy: string[]; imports: string[] }
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'goldmaster-bundle-'))
  client = join(folder, 'goldmaster.mjs')
  made = await bundleClient(client)
  small = join(folder, 'goldmaster-run.mjs')
  smallSize = await bundleRun(small)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  await bundleInPlace(join(folder, 'dist'))
  installed = join(folder, 'dist/main.cjs')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pickEnded = ({ status, stdout, stderr }: SpawnSyncReturns<string>) => ({ status, stdout, stderr })
const run = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, input: '' })

test('the client is one file that only needs Node, and contains nothing of the service', () => {
  expect(made.imports.filter((name) => !isBuiltin(name))).toEqual([])
  const rooms = [...made.light, ...made.heavy].flatMap((file) => /^src\/(\w+)\//.exec(file)?.[1] ?? [])
  expect(new Set(rooms)).toEqual(new Set(['cli', 'contract', 'diagnosis', 'mcp', 'terminal']))
  expect(run(client, 'diagnose', '--json', '-')).toMatchObject({ status: 0 })
  expect(run(client, 'serve')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("unknown command 'serve'; this command is part of the service"),
  })
  // Started as a program, not through Node.
  expect(execFileSync(client, ['--version'], { encoding: 'utf8' })).toBe(`${VERSION}\n`)
})

test('the client with run alone is small, runs builds, and says what it lacks', () => {
  expect(smallSize).toBeLessThan(150_000)
  expect(run(small, 'run', '--', process.execPath, '-e', 'process.exit(7)')).toMatchObject({ status: 7 })
  expect(run(small, '--version').stdout).toBe(`${VERSION}\n`)
  expect(run(small, 'builds', 'list')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('this file only has run: download goldmaster.mjs'),
  })
})

test('the installed CLI finds its parts', async () => {
  await bundleService(join(folder, 'dist/server'))
  for (const words of [['diagnose'], ['bridge'], ['mcp'], ['tasks', 'list'], ['serve'], ['admin', 'load']])
    expect(run(installed, ...words, '--help')).toMatchObject({ status: 0 })
  // The name that starts the service.
  expect(run(join(folder, 'dist/main.js'), 'serve', '--help')).toMatchObject(pickEnded(run(installed, 'serve', '--help')))
  // Bundled separately, its errors are still recognized.
  const env = { ...process.env, XDG_CONFIG_HOME: folder, GOLDMASTER_HOST: 'http://127.0.0.1:9', GOLDMASTER_TOKEN: '' }
  expect(spawnSync(process.execPath, [installed, 'mcp'], { encoding: 'utf8', env }).status).toBe(4)
})

test('both serve an assistant', async () => {
  const studio = await openStudio(workshop)
  for (const program of [client, installed]) {
    const assistant = await connectStdio(studio.site, studio.world.tokens!.lead!.token as string, [], [program])
    const { data } = await assistant.call('list_projects')
    expect(data.projects).toHaveLength(2)
    await assistant.client.close()
  }
  await studio.close()
})

test('the short form of the shapes equals the long one', async () => {
  const file = join(folder, 'routes.mjs')
  await bundleTable(file)
  const { routes: short } = await import(pathToFileURL(file).href)
  expect(JSON.parse(JSON.stringify(short))).toEqual(JSON.parse(JSON.stringify(routes)))
})

test('a start loads nothing that only an assistant, a diagnosis or a bridge needs', () => {
  const weighty = /\/(?:typebox|zod|ajv|@modelcontextprotocol)\/|^src\/(?:mcp|diagnosis)\//
  expect(made.heavy.filter((file) => weighty.test(file))).not.toEqual([])
  expect(made.light.filter((file) => weighty.test(file))).toEqual([])
})

test('help, and the hint for an unknown command, list every command and load none', () => {
  const help = run(installed, '--help')
  for (const [word, summary] of Object.entries(SUMMARIES))
    expect(help.stdout.replace(/\s+/g, ' ')).toContain(` ${word} ${summary} `)
  expect(run(installed, 'help')).toMatchObject({ status: 0, stdout: help.stdout })
  expect(run(installed, 'tsks')).toMatchObject({ status: 2, stderr: expect.stringContaining('Did you mean tasks?') })
})

test('the version, the list of commands and the hint for an unknown one come from the first lines of a file', () => {
  for (const file of [client, small]) {
    const front = join(folder, 'front.mjs')
    writeFileSync(front, readFileSync(file, 'utf8').split('\n//goldmaster-')[0]!)
    for (const words of [['-V'], ['--help'], [], ['tsks']])
      expect([words, run(front, ...words)]).toMatchObject([words, pickEnded(run(file, ...words))])
    // As after a download that broke off, before or inside a part.
    for (const length of [statSync(front).size, statSync(front).size + 50_000]) {
      writeFileSync(front, readFileSync(file).subarray(0, length))
      expect(run(front, 'run', '--help')).toMatchObject({
        status: 1,
        stderr: 'goldmaster: This file is incomplete. Download it again.\n',
      })
    }
  }
})

test('they are what the parser prints', () => {
  const config = join(folder, 'config')
  mkdirSync(join(config, 'goldmaster'), { recursive: true })
  // With preferences a word may be an alias, so that the parser is asked.
  writeFileSync(join(config, 'goldmaster/config.json'), '{"aliases":{"hello":"--version"}}')
  const env = { ...process.env, XDG_CONFIG_HOME: config }
  const parsed = (...args: string[]) => spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, input: '', env })
  for (const file of [client, small, installed]) {
    expect(run(file, '--help').stdout).toBe(run(file, 'nothing', '--help').stdout)
    for (const words of [['statu'], ['nothing', 'like', 'it'], ['größe']])
      expect([words, run(file, ...words)]).toMatchObject([words, pickEnded(parsed(file, ...words))])
    expect(parsed(file, 'hello').stdout).toBe(`${VERSION}\n`)
  }
})

test('a reader that leaves is no failure of the list of commands, a full disk is', () => {
  const shell = (line: string) => spawnSync('sh', ['-c', line, process.execPath, client], { encoding: 'utf8' })
  expect(shell('{ "$0" "$1" --help; echo $? >&2; } | true').stderr).toBe('0\n')
  if (existsSync('/dev/full')) expect(shell('"$0" "$1" --help > /dev/full').status).toBe(1)
})

test('a client with the line ends of Windows works', () => {
  const file = join(folder, 'crlf.mjs')
  writeFileSync(file, readFileSync(client, 'utf8').replaceAll('\n', '\r\n'))
  expect(run(file, 'projects', '--help')).toMatchObject(pickEnded(run(client, 'projects', '--help')))
  expect(run(file, 'diagnose', '--json', '-')).toMatchObject({ status: 0 })
})

test('an older Node gets one line with the required version', () => {
  const old = join(folder, 'old-node.cjs')
  writeFileSync(
    old,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } }); delete process.getBuiltinModule",
  )
  for (const program of [client, small, installed]) {
    expect(run('--require', old, program, '--version').stdout).toBe(`${VERSION}\n`)
    for (const words of [['--help'], ['tasks', 'list'], ['serve']])
      expect(run('--require', old, program, ...words)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: 'goldmaster: Node 18.20.4 is too old. Install Node 20.19 or newer.\n',
      })
  }
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(engines.node).toBe('>=20.19')
})

test.each([['--version'], ['--help'], ['help'], ['tsks']])(
  '%s takes at most three times the work of starting Node alone',
  (word) => {
    // CPU time, not wall time: others may use this machine too.
    const meter = join(folder, 'meter.cjs')
    writeFileSync(
      meter,
      "process.on('exit', () => { const { user, system } = process.cpuUsage(); console.error(user + system) })",
    )
    const work = (...args: string[]) =>
      Number(
        run('--require', meter, ...args)
          .stderr.trim()
          .split('\n')
          .at(-1),
      )
    const median = (works: number[]) => works.sort((a, b) => a - b)[2]!
    const rounds = [...'12345'].map(() => [work('-e', '0'), work(client, word), work(installed, word)] as const)
    const [bare, one, whole] = ([0, 1, 2] as const).map((which) => median(rounds.map((round) => round[which])))
    expect(one! / bare!).toBeLessThan(3)
    expect(whole! / bare!).toBeLessThan(3)
  },
)
