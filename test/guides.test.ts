import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM } from './support/built.ts'
import { type DemoService, startDemo } from './support/demo-service.ts'

/**
 * Every line in a block marked `sh` of a guide, against the demo. Blocks marked `console` are only shown: they need a Perforce
 * server, a provider or a second machine. first-steps.md has its own test, readme.test.ts, as it also installs the package.
 */
const FOLDER = resolve(import.meta.dirname, '../docs/guides')
const guides = readdirSync(FOLDER).filter((name) => name !== 'first-steps.md')

let demo: DemoService
let home: string
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'goldmaster-guides-'))
  demo = await startDemo()
})
afterAll(async () => {
  await demo?.stop()
  rmSync(home, { recursive: true, force: true })
})

const linesOf = (guide: string) =>
  [...readFileSync(join(FOLDER, guide), 'utf8').matchAll(/```sh\n([^`]*)```/g)].map(([, block]) => block!)

test.each(guides)('the commands in %s work against the demo', (guide) => {
  const blocks = linesOf(guide)
  expect(blocks.length).toBeGreaterThan(0)
  const script = [
    'set -euo pipefail',
    `goldmaster() { "${process.execPath}" "${PROGRAM}" "$@"; }`,
    ...blocks.map((block) => block.replaceAll('http://localhost:8080', demo.site)),
    'echo "all done"',
  ].join('\n')
  const printed = execFileSync('bash', ['-c', script], {
    cwd: home,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: home, GOLDMASTER_TOKEN: demo.token, DATA_DIR: demo.folder, BASE_URL: demo.site },
  })
  expect(printed).toMatch(/all done\n$/)
})
