import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type LocalServer, openLocalServer } from '../../../../test/support/servers/local-server.ts'
import { testWith } from '../../../../test/support/skippable.ts'
import { gameEngine } from './index.ts'
import { engineShell } from './setup-shell.ts'

interface Post {
  event: string
  token: string | null
  body: Record<string, unknown>
  signed: boolean
}

const SECRET = 'what the wrapper signs with'
const TOKEN = 'ab'.repeat(32)

describe.skipIf(process.platform === 'win32')('the wrapper around a build', () => {
  let folder: string
  let server: LocalServer
  let posts: Post[]
  let answer: number

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'goldmaster engine '))
    posts = []
    answer = 200
    server = await openLocalServer(async (request, reply) => {
      const { pathname, searchParams } = new URL(request.url!, 'http://localhost')
      const path = pathname.replace('/webhooks/', '')
      const [raw, headers] = [await text(request), request.headers as Record<string, string>]
      const unparsed = { path, headers, raw: Buffer.from(raw), url: '', received: new Date(), config: {} }
      const signed = gameEngine.verify(unparsed, [SECRET], true)
      posts.push({ event: path.replace('game_engine/', ''), token: searchParams.get('token'), body: JSON.parse(raw), signed })
      reply.writeHead(answer).end('{}')
    })
  })

  afterEach(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Wraps a fake build, a shell script with the name of the tool. */
  async function build(tool: string, script: string, environment: Record<string, string> = {}) {
    writeFileSync(join(folder, tool), script)
    const base_url = server.url
    writeFileSync(join(folder, 'goldmaster-build.sh'), engineShell({ base_url, token: TOKEN, url: '', id: 7 }))
    const own = {
      PATH: process.env.PATH!,
      TMPDIR: folder,
      JOB_NAME: 'studio/Game "Win64"',
      BUILD_NUMBER: '42',
      GOLDMASTER_EVERY: '0',
    }
    const run = spawn('sh', ['goldmaster-build.sh', 'sh', tool, '-an argument'], { cwd: folder, env: { ...own, ...environment } })
    const [output, errors, [code]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'close')])
    return { output, errors, code }
  }

  const events = () => posts.map((post) => post.event)
  const facts = () =>
    posts.map(
      ({ event, body }) =>
        gameEngine.read({
          path: `game_engine/${event}`,
          headers: {},
          raw: Buffer.alloc(0),
          body,
          url: '',
          received: new Date(),
          config: {},
        })[0],
    )

  const COOK = `cat <<'END'
Running AutomationTool...
[1/2] Compile [x64] Rock.cpp
********** COOK COMMAND STARTED **********
[2026.03.25-01.52.35:556][  3]LogShaderCompilers: Display: Shaders left to compile 120
LogCook: Display: Cooked packages 400 Packages Remain 260 Total 660
LogShaderCompilers: Display: Shaders left to compile 60
LogShaderCompilers: Display: Shaders left to compile 0
LogShaderCompilers: Display: Shaders left to compile 4
LogCook: Display: Cooked packages 660 Packages Remain 0 Total 660
LogInit: Display: Success - 0 error(s), 3 warning(s)
********** COOK COMMAND COMPLETED **********
`

  testWith('openssl')('signs every report if there is a secret', async () => {
    await build('RunUAT.sh', `${COOK}END\n`, { GOLDMASTER_WEBHOOK_SECRET: SECRET })
    expect(posts.length).toBeGreaterThan(3)
    expect(posts.every(({ signed }) => signed)).toBe(true)
    posts = []
    await build('RunUAT.sh', `${COOK}END\n`, { GOLDMASTER_WEBHOOK_SECRET: 'another' })
    expect(posts.some(({ signed }) => signed)).toBe(false)
  })

  test('reports the phases of an Unreal build and its result', async () => {
    const tail = '********** STAGE COMMAND STARTED **********\n********** PACKAGE COMMAND STARTED **********\nBUILD SUCCESSFUL\n'
    const script = `${COOK}${tail}AutomationTool exiting with ExitCode=0 (Success)\nEND\n`
    const { output, code } = await build('RunUAT.sh', script, { P4_CHANGELIST: '81234', GOLDMASTER_PLATFORM: 'Win64' })
    expect(code).toBe(0)
    expect(output).toContain('BUILD SUCCESSFUL\n')
    expect(events()).toEqual([
      'cooking_started',
      'shaders_started',
      'asset_cooked',
      'shaders_completed',
      'asset_cooked',
      'packaging_started',
      'build_completed',
    ])
    expect(posts.map((post) => post.token)).toEqual(Array(7).fill(TOKEN))
    const same = { build: { job: 'studio/Game "Win64"', number: '42' }, build_type: 'unreal', changelist: '81234' }
    expect(facts()).toMatchObject([
      { ...same, phase: 'cooking', steps: [{ detail: 'Win64' }] },
      { ...same, phase: 'shaders', steps: [{ detail: 'Win64, 120 shaders' }] },
      { ...same, steps: [{ name: 'cooking', detail: '400/660 cooked' }] },
      { ...same, steps: [{ name: 'shaders', status: 'completed' }] },
      { ...same, steps: [{ name: 'cooking', detail: '660/660 cooked' }] },
      { ...same, phase: 'packaging' },
      { ...same, status: 'completed', log: output },
    ])
  })

  test('keeps the exit code of a failed build and sends its first error', async () => {
    const error = String.raw`LogCook: Error: C:\Game\Content\T_"Rock".uasset could not be cooked`
    const script = `${COOK}${error}\nLogCook: Error: another\nBUILD FAILED\nAutomationTool exiting with ExitCode=8 (8)\nEND\nexit 8\n`
    expect((await build('RunUAT.sh', script)).code).toBe(8)
    expect(posts.at(-1)).toMatchObject({ event: 'build_failed', body: { error } })
    expect(facts().at(-1)).toMatchObject({ status: 'failed', log: expect.stringContaining(`${error}\n`) })
  })

  test("trusts Unity's log more than its exit code", async () => {
    const lines = "Assets/Rock.cs(3,7): error CS0246: The type 'Rok' could not be found\\nBuild Finished, Result: Failure.\\n"
    const { code } = await build('Unity', `printf "${lines}Exiting batchmode successfully now!\\n"\n`)
    expect(code).toBe(0)
    expect(events()).toEqual(['build_failed'])
    expect(posts[0]!.body).toMatchObject({
      engine: 'unity',
      error: "Assets/Rock.cs(3,7): error CS0246: The type 'Rok' could not be found",
    })

    await build('Unity', 'echo "Build Finished, Result: Success."\n')
    expect(events()).toEqual(['build_failed', 'build_completed'])
  })

  test('encodes any log content', async () => {
    const { output } = await build(
      'RunUAT.sh',
      `printf 'tab\\there \\033[31mred\\033[0m "quoted" back\\\\\\\\slash zażółć\\r\\n\\001end'\n`,
    )
    expect(output).toContain('\u001b[31mred')
    expect(posts[0]!.body.logs_tail).toBe('tab\there \u001b[31mred\u001b[0m "quoted" back\\\\slash zażółć\r\nend\n')
  })

  test('sends the last 256,000 characters of a long log', async () => {
    await build('RunUAT.sh', `yes 'LogCook: Display: nothing to see' | head -c 600000; echo; echo 'the very end'\n`)
    const log = posts[0]!.body.logs_tail as string
    expect(log).toHaveLength(256_000)
    expect(log.endsWith('\nthe very end\n')).toBe(true)
  })

  test('does not disturb the build if nobody listens, and leaves nothing behind', async () => {
    answer = 401
    const { code, output, errors } = await build('RunUAT.sh', `${COOK}END\nexit 3\n`)
    expect([code, output.includes('Running AutomationTool...')]).toEqual([3, true])
    expect(errors).toContain('goldmaster: build_failed was not delivered')
    expect(readdirSync(folder).sort()).toEqual(['RunUAT.sh', 'goldmaster-build.sh'])
  })

  test('does not wait for helpers that outlive the build', async () => {
    const began = Date.now()
    await build('RunUAT.sh', 'echo started; sleep 120 &\n')
    expect(events()).toEqual(['build_completed'])
    expect(Date.now() - began).toBeLessThan(110_000)
  })
})
