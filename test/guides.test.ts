import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM } from './support/built.ts'
import { type DemoService, startDemo } from './support/demo-service.ts'
import { until } from './support/until.ts'

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

const scriptOf = (guide: string) => {
  const blocks = linesOf(guide)
  expect(blocks.length).toBeGreaterThan(0)
  return blocks.map((block) => block.replaceAll('http://localhost:8080', demo.site))
}

/** Does not block: a blocked process notices too late that the service has closed an idle connection, and sends the next request on it. */
async function run(lines: readonly string[]): Promise<string> {
  const script = ['set -euo pipefail', `goldmaster() { "${process.execPath}" "${PROGRAM}" "$@"; }`, ...lines, 'echo "all done"']
  const running = promisify(execFile)('bash', ['-c', script.join('\n')], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, GOLDMASTER_TOKEN: demo.token, DATA_DIR: demo.folder, BASE_URL: demo.site },
    maxBuffer: 64 * 1024 * 1024,
  })
  running.child.stdin!.end()
  return (await running).stdout
}

const BUILD_ENGINEER = 'build-engineer.md'

interface Branch {
  name: string
  state: string
}

interface Breakage {
  id: string
  state: string
  flaky: boolean
  jobs: string[]
  branch: string
  suspects: { change_id: string; user_id: string | null; reasons: string[] }[]
  fixed_by_change: { display_identifier: string } | null
}

const ask = async <T>(path: string): Promise<T> => {
  const answer = await fetch(`${demo.site}/api/v1/projects/1/${path}`, { headers: { Authorization: `Bearer ${demo.token}` } })
  expect(answer.status).toBe(200)
  return answer.json() as Promise<T>
}
const branches = async () => (await ask<{ branches: Branch[] }>('branches')).branches.map(({ name, state }) => ({ name, state }))
const breakages = async () => (await ask<{ breakages: Breakage[] }>('breakages?limit=100')).breakages

/** On a busy machine the diagnosis takes longer than a reader's pause. */
const waitFor = (state: string) =>
  `until goldmaster breakages list --limit 100 --jq '.[] | select(.jobs == ["Game-Win64"]) | .state' | grep -qx ${state}; do sleep 1; done`

test('the guide for build engineers ends with one breakage, one named suspect and its fix, and leaves the rest of the demo as it was', async () => {
  const [branchesBefore, breakagesBefore] = [await branches(), await breakages()]
  const pauses = ['open', 'fixed']
  const printed = await run(scriptOf(BUILD_ENGINEER).map((block) => block.replaceAll('sleep 5', () => waitFor(pauses.shift()!))))
  expect(pauses).toEqual([])
  expect(printed).toMatch(/all done\n$/)
  expect(await branches()).toEqual(branchesBefore)
  const isNew = ({ id }: Breakage) => !breakagesBefore.some((before) => before.id === id)
  // A changelist that is processed after the builds that name it narrows their range afterwards.
  await until(async () => (await breakages()).filter(isNew).every(({ suspects }) => suspects.length === 1))
  const all = await breakages()
  expect(all.filter((breakage) => !isNew(breakage)).map(({ id, state }) => ({ id, state }))).toEqual(
    breakagesBefore.map(({ id, state }) => ({ id, state })),
  )
  const [ours, ...others] = all.filter(isNew)
  expect(others).toEqual([])
  expect(ours).toMatchObject({
    state: 'fixed',
    flaky: false,
    branch: '//cinder/main',
    suspects: [{ user_id: expect.anything() }],
    fixed_by_change: { display_identifier: 'CL 49003' },
  })
  expect(ours!.suspects[0]!.reasons.length).toBeGreaterThan(1)
  // What the guide prints before the fix.
  expect(printed).toMatch(/^attributed to +\S.* \(user:\d+\)$/m)
  expect(printed.match(/^\d+\tCL \d+\t.*\t0\.\d+\t/gm)).toEqual([expect.stringContaining('CL 49002')])
})

test.each(guides.filter((guide) => guide !== BUILD_ENGINEER))('the commands in %s work against the demo', async (guide) => {
  expect(await run(scriptOf(guide))).toMatch(/all done\n$/)
})
