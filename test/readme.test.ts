import { type ChildProcess, execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from './support/servers/free-port.ts'
import { until } from './support/until.ts'

/**
 * README and first steps, line by line, as an ordinary user with an empty home; then the tarball on other versions of Node than the one
 * that runs this.
 */

const ROOT = resolve(import.meta.dirname, '..')
// Not every version in every run: README_NODES=20,22,24 npx vitest run test/readme.test.ts
const NODES = process.env.README_NODES?.split(',') ?? []
/** npm has every version of Node as a package. */
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
/** A user without any rights, if we are root. */
const ordinary = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const registry = spawnSync('npm', ['config', 'get', 'registry'], { cwd: ROOT, encoding: 'utf8' }).stdout.trim()
/** With a separate cache: npm uses an old one if there is no network. */
const isReachable = () => {
  const cache = mkdtempSync(join(tmpdir(), 'goldmaster-npm-'))
  const view = ['view', `${NODE_PACKAGE}@20`, 'version', '--fetch-retries=0', '--fetch-timeout=5000', `--cache=${cache}`]
  const { status } = spawnSync('npm', view, { cwd: ROOT })
  rmSync(cache, { recursive: true, force: true })
  return status === 0 && spawnSync('ls', [join(ROOT, 'node_modules/esbuild')], ordinary).status === 0
}

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const firstSteps = readFileSync(join(ROOT, 'docs/guides/first-steps.md'), 'utf8')
/** The shell lines below a heading. */
const linesOf = (heading: string, page = readme) => {
  const section = page.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!
  return [...section.matchAll(/```sh\n([^`]*)```/g)].flatMap(([, block]) => block!.trim().split('\n'))
}

const giveAway = (...folders: string[]) => {
  if (ordinary.uid !== undefined) for (const folder of folders) chownSync(folder, ordinary.uid, ordinary.gid)
}

let home: string
let clone: string
let port: number
const started = new Set<ChildProcess>()
const environment = (path: string[] = []) => ({
  PATH: [...path, process.env.PATH].join(':'),
  HOME: home,
  // Another process may have left a folder of this user's number in the common one.
  TMPDIR: join(home, 'tmp'),
  PORT: String(port),
  npm_config_registry: registry,
  ...(process.env.NODE_EXTRA_CA_CERTS && { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS }),
})
const options = (cwd: string, path?: string[]): SpawnOptions => ({ ...ordinary, cwd, env: environment(path) })

/** Runs lines in one shell; the first failure ends it. */
function shell(lines: readonly string[], { cwd = clone, path = [] as string[] } = {}): string {
  const script = ['set -euo pipefail', ...lines].join('\n').replaceAll('localhost:8080', `localhost:${port}`)
  return execFileSync('bash', ['-c', script], {
    ...options(cwd, path),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }) as string
}

/** It is built first: beside browsers on a busy machine that took four minutes. */
const START_MS = 500_000
const TEST_MS = 2 * START_MS

interface Serving {
  said(): string
  stop(): Promise<void>
}

async function serve(words: readonly string[], cwd: string, path?: string[]): Promise<Serving> {
  const child = spawn(words[0]!, words.slice(1), { ...options(cwd, path), detached: true, stdio: 'pipe' })
  started.add(child)
  let said = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => {
      said += chunk
    })
  const closed = once(child, 'close').finally(() => started.delete(child))
  await until(() => {
    if (child.exitCode !== null) throw new Error(said)
    return said.includes('Goldmaster runs at')
  }, START_MS)
  return {
    said: () => said,
    async stop() {
      process.kill(-child.pid!, 'SIGINT')
      await closed
    },
  }
}

const canInstall = isReachable()

const reader = `a user who follows the README${canInstall ? '' : ' [package registry not reachable]'}`
describe.runIf(canInstall)(reader, { timeout: TEST_MS }, () => {
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'goldmaster-home-'))
    clone = join(home, 'goldmaster')
    for (const folder of [clone, join(home, 'tmp')]) mkdirSync(folder)
    port = await freePort()
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT })
    const tar = execFileSync('tar', ['--null', '--files-from=-', '--ignore-failed-read', '-cf', '-'], {
      cwd: ROOT,
      input: files,
      maxBuffer: 256 * 1024 * 1024,
    })
    giveAway(home, clone, join(home, 'tmp'))
    execFileSync('tar', ['-xf', '-'], { ...ordinary, cwd: clone, input: tar })
    // The result of `npm ci`, which was run before the tests.
    const packages = join(clone, 'node_modules')
    mkdirSync(packages)
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!name.startsWith('.vite')) symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
    giveAway(packages)
  })
  afterAll(() => {
    for (const child of started) process.kill(-child.pid!, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })
  afterEach(() => {
    // Leftovers of a failed test must not fail the next.
    for (const child of started) process.kill(-child.pid!, 'SIGKILL')
  })
  const bin = () => join(home, '.local/bin')
  const run = (line: string, cwd = clone) => shell([line], { cwd, path: [bin()] })

  test('starts it, calls it with curl, installs it, signs in and looks around', async () => {
    expect(linesOf('Run it')).toEqual(['npm ci && npm start'])
    const service = await serve(['npm', 'start'], clone)
    const [, token] = /API token +(\w+)/.exec(service.said())!

    const [first, ask, ...curls] = linesOf('Five minutes with curl', firstSteps).filter(Boolean)
    const begin = [first!.replace('TOKEN=…', `TOKEN=${token}`), ask!]
    const [, id] = /"id":"?(\d+)/.exec(shell([...begin, curls.find((line) => line.includes('status=failed'))!]))!
    for (const line of curls) {
      const filled = line.replace('/ID/', `/${id}/`)
      // The stream never ends: its first output is enough.
      const command = filled.startsWith('curl -N') ? `exec 3< <(${filled}\n); head -c 1 <&3; kill $!` : filled
      const answer = shell([...begin, command])
      expect(answer, line).not.toBe('')
      expect(answer, line).not.toMatch(/^\{"error"/)
    }

    for (const line of linesOf('Install the command line', firstSteps).filter((line) => !line.startsWith('export PATH=')))
      run(line)
    expect(run('which goldmaster').trim()).toBe(join(bin(), 'goldmaster'))
    const pages = join(home, '.local/lib/node_modules/goldmaster/dist/man/man1')
    expect(readFileSync(join(pages, 'goldmaster-builds.1'), 'utf8')).toContain('.SH NAME')
    expect(run('~/bin/goldmaster --version')).toBe(run('goldmaster --version'))

    for (const line of linesOf('Use the command line', firstSteps))
      if (!line.includes('through the browser')) run(line)
      // The browser login has separate tests.
      else run(`echo ${token} | ${line.split('#')[0]!.trim()} --token`)
    expect(run('goldmaster builds list --status failed')).toMatch(/\tfailed\t/)

    expect(run(linesOf('Connect your tools')[0]!)).toContain(`localhost:${port}/webhooks/jenkins?token=`)
    expect(run(linesOf('What you get')[0]!)).toContain('compile_error')
    await service.stop()
    expect(service.said()).toMatch(/"msg":"stopping"\}\n$/)
  })

  test('starts it again without building, and sees how to sign in', async () => {
    const built = () => statSync(join(clone, 'dist/main.js')).mtimeMs
    const before = built()
    const service = await serve(['npm', 'start'], clone)
    expect(built()).toBe(before)
    const [, command] = /Locked out\? +(.+)/.exec(service.said())!
    expect(command).toMatch(/^npm run --silent goldmaster -- admin user set-password /)
    expect(run(`echo a-new-long-password | ${command}`)).toContain('maren@')
    await service.stop()
  })

  test('gets one line with what is missing if the packages for building were left out', () => {
    rmSync(join(clone, 'node_modules'), { recursive: true })
    rmSync(join(clone, 'dist'), { recursive: true })
    mkdirSync(join(clone, 'node_modules'))
    const { status, stderr } = spawnSync('node', ['scripts/build.mjs', '--if-stale'], { ...options(clone), encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^goldmaster: [^\n]*--omit=dev[^\n]*npm ci[^\n]*\n$/)
  })

  test.each(NODES)('installs the tarball with Node %s, where it serves, lists and diagnoses', async (version) => {
    const node = join(home, `node-${version}`)
    mkdirSync(node)
    giveAway(node)
    shell([`npm install --silent --prefix . node@npm:${NODE_PACKAGE}@${version}`], { cwd: node })
    const path = [join(node, 'prefix/bin'), join(node, 'node_modules/node/bin')]
    const here = (...lines: string[]) => shell(lines, { cwd: node, path })
    expect(here('node --version')).toMatch(`v${version}.`)
    here(`npm install --silent --global --engine-strict --prefix ${join(node, 'prefix')} ${clone}/goldmaster-*.tgz`)
    expect(here('which goldmaster').trim()).toBe(join(node, 'prefix/bin/goldmaster'))
    const service = await serve(['goldmaster', 'serve'], node, path)
    const [, token] = /API token +(\w+)/.exec(service.said())!
    const asked = `GOLDMASTER_HOST=http://localhost:${port} GOLDMASTER_TOKEN=${token} goldmaster`
    expect(here(`${asked} builds list --project 1 --status failed`)).toMatch(/\tfailed\t/)
    expect(here(`goldmaster diagnose ${clone}/examples/unreal-build.log`)).toContain('compile_error')
    await service.stop()
    expect(service.said()).not.toMatch(/"level":[456]0|Warning/)
  })
})
