import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = (name: string) => import(pathToFileURL(resolve('scripts', name)).href)
const { bundleClient } = await script('bundle-client.mjs')
const { bundleService } = await script('bundle-service.mjs')
const { noticesFor } = await script('third-party-notices.mjs')

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'goldmaster-notices-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const versionOf = (name: string): string => JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version
const licenceOf = (name: string) => readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()

test('the single-file client contains the licenses of its dependencies, and still runs', async () => {
  const client = join(folder, 'goldmaster.mjs')
  await bundleClient(client)
  const text = readFileSync(client, 'utf8')
  expect(text).toContain(`commander ${versionOf('commander')} (MIT)`)
  expect(text).toContain(licenceOf('commander'))
  expect(spawnSync(process.execPath, [client, '--version'], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
})

test('every package inside the service is listed with its license', async () => {
  const inputs: string[] = await bundleService(join(folder, 'server'))
  const notices: string = noticesFor(inputs)
  const packages = new Set(inputs.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []))
  expect(packages).toContain('fastify')
  for (const name of packages) expect(notices).toMatch(new RegExp(`^${name.replace('/', '\\/')} \\d\\S* \\(.+\\)$`, 'm'))
  expect(notices).toContain(licenceOf('fastify'))
})
