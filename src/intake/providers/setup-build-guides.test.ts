import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { openLocalServer } from '../../../test/support/servers/local-server.ts'
import { testWith } from '../../../test/support/skippable.ts'
import type { Fact } from '../facts.ts'
import type { Delivery, Provider } from '../provider.ts'
import type { SetupContext } from '../setup.ts'
import { setup as buildkite } from './buildkite/setup.ts'
import { deployment as stores } from './deployment/index.ts'
import { setup as deployment, releaseScript } from './deployment/setup.ts'
import { setup as gameEngine } from './game-engine/setup.ts'
import { setup as horde } from './horde/setup.ts'
import { jenkins as ci } from './jenkins/index.ts'
import { setup as jenkins, jenkinsfile, signedNotification } from './jenkins/setup.ts'
import { setup as teamcity } from './teamcity/setup.ts'

const token = 'ab'.repeat(32)
const contextOf = (name: string, base_url = 'https://goldmaster.example'): SetupContext => ({
  token,
  base_url,
  id: 7,
  url: `${base_url}/webhooks/${name}?token=${token}`,
})

const blocks = (guide: string, language: string) =>
  [...guide.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, content]) => (kind === language ? [content!] : []))

const guides = { jenkins, buildkite, teamcity, horde, deployment, game_engine: gameEngine }

describe.each(Object.entries(guides))('the guide for %s', (name, setup) => {
  const guide = setup(contextOf(name))

  test('contains the token', () => {
    expect(guide).toContain(token)
    expect(guide).not.toContain('undefined')
  })

  test.skipIf(process.platform === 'win32')('has only shell that a plain shell can parse', () => {
    expect(blocks(guide, 'sh')).not.toEqual([])
    for (const script of blocks(guide, 'sh')) expect(spawnSync('sh', ['-n'], { input: script }).stderr.toString()).toBe('')
  })
})

/** Runs a script in a folder with fake tools, and returns the received requests. */
async function run(setup: (base: string) => string, tools: Record<string, string>, environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'goldmaster guides '))
  const arrived: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
  const server = await openLocalServer(async (request, reply) => {
    arrived.push({ path: request.url!, headers: request.headers, body: await text(request) })
    reply.end('{}')
  })
  try {
    for (const [name, script] of Object.entries(tools)) {
      writeFileSync(join(folder, name), script)
      chmodSync(join(folder, name), 0o755)
    }
    const env = { PATH: `${folder}:${process.env.PATH}`, ...environment }
    const shell = spawn('sh', ['-c', setup(server.url)], { cwd: folder, env })
    const [output, errors, [code]] = await Promise.all([text(shell.stdout), text(shell.stderr), once(shell, 'close')])
    return { arrived, output, errors, code }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const read = (provider: Provider, path: string, body: string): Fact[] => provider.read(delivery(path, {}, body))

const delivery = (path: string, headers: IncomingHttpHeaders, body: string): Delivery => ({
  path,
  headers: headers as Record<string, string>,
  raw: Buffer.from(body),
  body: JSON.parse(body),
  url: '',
  received: new Date(),
  config: {},
})

const SECRETS = ['s3cret-of-the-ci', `it's "long" \\n é 龍 ${'0123456789'.repeat(8)}`, 'x'.repeat(64)]

function expectSigned(provider: Provider, arrived: Awaited<ReturnType<typeof run>>['arrived'], secret: string) {
  expect(arrived).toHaveLength(1)
  const { path, headers, body } = arrived[0]!
  const given = delivery(path.replace('/webhooks/', '').replace(/\?.*/, ''), headers, body)
  expect(provider.verify(given, [secret], true)).toBe(true)
  expect(provider.verify(given, ['another'], true)).toBe(false)
}

describe.skipIf(process.platform === 'win32')('the scripts', () => {
  const upload = (base: string) => `${releaseScript(contextOf('deployment', base))}
steam_upload builder "$PWD/app_build.vdf" branch=beta 'version=1.4 "Rock"'`

  test('find app and build of a Steam upload in the output of steamcmd', async () => {
    const line = '[2026-09-24 22:07:50]: Successfully finished AppID 4513280 build (BuildID 25520824).'
    const { arrived, output } = await run(
      upload,
      { steamcmd: `#!/bin/sh\necho '${line}'\n` },
      { BUILD_NUMBER: '42', JOB_NAME: 'Ship-Win64' },
    )
    expect(output).toContain(line)
    expect(arrived.map((post) => post.path)).toEqual(Array(2).fill(`/webhooks/deployment?token=${token}`))
    const same = {
      platform: 'steam',
      key: '42',
      job_name: 'Ship-Win64',
      build_number: '42',
      branch: 'beta',
      version: '1.4 "Rock"',
    }
    expect(arrived.flatMap((post) => read(stores, 'deployment', post.body))).toMatchObject([
      { ...same, status: 'uploading' },
      { ...same, status: 'approved', uploaded: true, external_id: '4513280', external_build_id: '25520824' },
    ])
  })

  test('report an unfinished Steam upload', async () => {
    const { arrived, code } = await run(
      upload,
      { steamcmd: '#!/bin/sh\necho "ERROR! Failed to commit build"\n' },
      { BUILD_NUMBER: '42' },
    )
    expect(code).toBe(1)
    expect(arrived.flatMap((post) => read(stores, 'deployment', post.body))).toMatchObject([
      { status: 'uploading' },
      { status: 'rejected' },
    ])
  })

  testWith('openssl')('sign a build notification so that it is accepted', async () => {
    const { arrived, errors } = await run((base) => signedNotification(contextOf('jenkins', base)), {})
    expect(errors).toBe('')
    const { path, headers, body } = arrived[0]!
    const given = delivery(path.replace('/webhooks/', ''), headers, body)
    expect(headers['x-webhook-token']).toBe(token)
    expect(ci.verify!(given, ['the signing secret saved here'])).toBe(true)
    expect(ci.verify!(given, ['another'])).toBe(false)
    expect(ci.read(given)).toMatchObject([{ build: { job: 'Game-Win64', number: '42' }, status: 'failed' }])
  })

  testWith('openssl')('post what the Jenkinsfile wrote, with the token from its credentials', async () => {
    const file = '{"job_name":"Game","build_number":"7","status":"UNSTABLE","commit":null,"logs_tail":"a\\nb"}'
    const shell = (base: string) => {
      const script = /sh '''\n([\s\S]*?)'''/.exec(jenkinsfile(contextOf('jenkins', base)))![1]!
      // As Groovy reads it, and as Jenkins runs it: traced, and stopped at the first failure.
      return `printf %s "$FILE" >goldmaster.json\nset -xe\n${script.replaceAll('\\\\', '\\')}`
    }
    const environment = { FILE: file, GOLDMASTER_TOKEN: token }
    const { arrived } = await run(shell, {}, environment)
    expect(arrived).toMatchObject([{ path: '/webhooks/jenkins', headers: { 'x-webhook-token': token }, body: file }])
    expect(arrived[0]!.headers).not.toHaveProperty('x-webhook-signature')
    expect(read(ci, 'jenkins', arrived[0]!.body)).toMatchObject([{ status: 'failed', log: 'a\nb' }])

    const signed = await run(shell, {}, { ...environment, GOLDMASTER_WEBHOOK_SECRET: SECRETS[0]! })
    expectSigned(ci, signed.arrived, SECRETS[0]!)
    // Neither literally nor byte by byte.
    for (const shown of [SECRETS[0]!, token, [...Buffer.from(SECRETS[0]!)].slice(0, 4).join(' ')])
      expect(signed.errors).not.toContain(shown)
  })

  for (const secret of SECRETS)
    testWith('openssl')(
      `sign the release script's reports, with a secret of any length and any characters: ${secret}`,
      async () => {
        const tell = (base: string) =>
          `${releaseScript(contextOf('deployment', base))}\ntell steam uploaded 'version=1.4 "Rock" é'`
        const { arrived, errors } = await run(tell, {}, { BUILD_NUMBER: '42', GOLDMASTER_WEBHOOK_SECRET: secret })
        expect(errors).toBe('')
        expectSigned(stores, arrived, secret)
      },
    )
})
