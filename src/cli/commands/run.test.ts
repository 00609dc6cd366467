import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CLIENT } from '../../../test/support/built.ts'
import { openLocalServer } from '../../../test/support/servers/local-server.ts'
import { type BuildRoom, openBuildRoom } from '../../../test/support/studios/build-room.ts'
import { until } from '../../../test/support/until.ts'
import { LOG_MAX } from '../../contract/limits.ts'

let room: BuildRoom
beforeAll(async () => {
  room = await openBuildRoom()
})
afterAll(() => room.close())

/** A script that continues when the test says so. */
const waitFor = (file: string) => `
  const { existsSync } = require('node:fs')
  while (!existsSync(${JSON.stringify(join(room.folder, file))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)`
const allow = (file: string) => writeFileSync(join(room.folder, file), '')

test('the start, log and end of a build are signed for an integration that accepts only signed deliveries', async () => {
  const signing_secret = 'shared with the CI'
  const { integrations } = await room.tools.studio.load({
    integrations: [{ key: 'signed', project: room.tools.project, provider: 'jenkins', signing_secret, requires_signature: true }],
  })
  const own = { GOLDMASTER_WEBHOOK_TOKEN: integrations.signed!.webhook_token }
  const unsigned = await room.build(`console.log('unseen')`, ['--number', 'signed'], own).ended
  expect([unsigned.code, unsigned.err.toString()]).toEqual([0, expect.stringMatching(/401.*signature/)])
  expect(await room.known('signed')).toEqual([])

  const secret = { ...own, GOLDMASTER_WEBHOOK_SECRET: signing_secret }
  const { ended } = room.build(
    `console.log('the secret is shared with the CI');${waitFor('signed')};console.log('the end')`,
    ['--number', 'signed'],
    secret,
  )
  await until(async () => (await room.known('signed')).status === 'building' && (await room.log('signed')) !== '')
  expect(await room.log('signed')).toBe(`the secret is ${'*'.repeat(signing_secret.length)}\n`)
  allow('signed')
  expect(await ended).toMatchObject({ code: 0, err: Buffer.alloc(0) })
  expect(await room.known('signed')).toMatchObject({ status: 'completed' })
  const report = await room.start(['builds', 'report', 'failure', '--job', 'Game', '--number', 'signed'], secret).ended
  expect([report.code, report.err.toString()]).toEqual([0, expect.not.stringContaining('401')])
  expect(await room.known('signed')).toMatchObject({ status: 'failed' })
})

test.each(['9.8.7', '0.0.9'])('a client says after the build that the service has another version, %s', async (version) => {
  const same = await room.build(`console.log('x')`, ['--number', `not ${version}`]).ended
  expect(same.err.toString()).toBe('')
  const server = await openLocalServer((_, response) => {
    response.writeHead(202, { 'content-type': 'application/json', 'goldmaster-version': version })
    response.end('{"status":"accepted"}')
  })
  const other = await room.build(`process.exit(4)`, ['--number', version], { GOLDMASTER_HOST: server.url }).ended
  await server.close()
  expect(other.code).toBe(4)
  expect(other.err.toString()).toBe(
    `goldmaster: This is version 0.1.0, the service has ${version}. Download the client again from ${server.url}/goldmaster-run.mjs\n`,
  )
})

describe('a build', () => {
  test('has its output and exit code passed on, and is reported completely', async () => {
    mkdirSync(join(room.folder, 'Saved'))
    writeFileSync(join(room.folder, 'Saved/Game.pak'), '1234567')
    const { code, out, err } = await room.build(
      `process.stdout.write(Buffer.from([0x61, 0, 0xff, 0x0d, 0x0a]))
       process.stdout.write('********** COOK COMMAND STARTED **********\\n')
       process.stderr.write('a complaint without an end')
       process.exitCode = 3`,
      ['--number', '1', '--branch', 'main', '--changelist', '81234', '--artifact', 'Saved/*.pak'],
    ).ended
    expect(code).toBe(3)
    expect(out).toEqual(
      Buffer.concat([Buffer.from([0x61, 0, 0xff, 0x0d, 0x0a]), Buffer.from('********** COOK COMMAND STARTED **********\n')]),
    )
    expect(err.toString()).toBe('a complaint without an end')
    expect(await room.known('1')).toMatchObject({
      status: 'failed',
      branch: 'main',
      changelist: '81234',
      phase: 'cooking',
      steps: [{ name: 'cooking', status: 'failed' }],
      artifacts: [{ name: 'Saved/Game.pak', size_bytes: 7 }],
    })
    const log = await room.log('1')
    for (const line of ['a\uFFFD\uFFFD\r\n', 'COOK COMMAND STARTED', 'a complaint without an end']) expect(log).toContain(line)
  })

  test('uploads its artifacts if it passes and is asked to', async () => {
    const game = randomBytes(9_000_000)
    mkdirSync(join(room.folder, 'Builds'))
    writeFileSync(join(room.folder, 'Builds/Game.zip'), game)
    writeFileSync(join(room.folder, 'Builds/Notes.txt'), 'New moon')
    const flags = ['--artifact', 'Builds/*', '--upload']
    const passed = await room.build(`console.log('x')`, ['--number', 'uploads', ...flags]).ended
    expect([passed.code, passed.err.toString()]).toEqual([0, 'goldmaster: Uploaded 2 artifacts (9.0 MB).\n'])
    const { artifacts } = await room.known('uploads')
    expect(artifacts.map(({ name, size_bytes }: { name: string; size_bytes: number }) => [name, size_bytes])).toEqual([
      ['Builds/Game.zip', 9_000_000],
      ['Builds/Notes.txt', 8],
    ])
    const url = artifacts[0].url.replace('https://gold.example', room.tools.studio.site)
    const got = await fetch(url, { headers: { authorization: `Bearer ${room.tools.studio.world.tokens.all!.token}` } })
    expect(Buffer.from(await got.arrayBuffer()).equals(game)).toBe(true)
    const failed = await room.build(`process.exit(3)`, ['--number', 'does not upload', ...flags]).ended
    expect([failed.code, failed.err.toString()]).toEqual([3, ''])
    expect((await room.known('does not upload')).artifacts).toMatchObject([{ url: '' }, { url: '' }])
  })

  test('is reported with its platform, configuration, agent and measures', async () => {
    const { code } = await room.build(
      `console.log('x')`,
      [
        '--number',
        'measured',
        '--platform',
        'Windows',
        '--configuration',
        'Shipping',
        '--measure',
        'package=4.2GB',
        '--measure',
        'warnings=17',
      ],
      { GOLDMASTER_AGENT: 'BUILD-07' },
    ).ended
    expect(code).toBe(0)
    expect(await room.known('measured')).toMatchObject({
      platform: 'Win64',
      configuration: 'Shipping',
      agent: 'BUILD-07',
      measures: [
        { name: 'package', value: 4.2, unit: 'GB' },
        { name: 'warnings', value: 17, unit: null },
      ],
    })
    const wrong = await room.build(`console.log('x')`, ['--measure', 'package']).ended
    expect([wrong.code, wrong.err.toString()]).toEqual([2, expect.stringContaining('such as package=4.2GB')])
  })

  test('is reported from its start, with its log while it prints', async () => {
    const { ended } = room.build(`console.log('the first line');${waitFor('seen')};console.log('the last line')`, [
      '--number',
      '2',
    ])
    await until(async () => (await room.known('2')).status === 'building' && (await room.log('2')) === 'the first line\n')
    allow('seen')
    expect(await ended).toMatchObject({ code: 0 })
    expect(await room.known('2')).toMatchObject({ status: 'completed', duration_seconds: expect.any(Number) })
    expect(await room.log('2')).toBe('the first line\nthe last line\n')
  })

  test('that draws a progress bar prints all of it, and its last state is stored', async () => {
    const bar = (state: string) => `Receiving objects: ${state}\r`
    const printed = `first\n${[' 1% (1/90)', '45% (40/90)', 'error: slow', '99% (89/90)'].map(bar).join('')}no line end`
    const { out } = await room.build(`process.stdout.write(${JSON.stringify(printed)})`, ['--number', 'bar']).ended
    expect(out.toString()).toBe(printed)
    expect(await room.log('bar')).toBe(`first\n${bar('error: slow')}${bar('99% (89/90)')}no line end`)
  })

  test('that failed according to its output is reported as failed, and keeps its exit code', async () => {
    expect(await room.build(`console.log('Build Finished, Result: Failure.')`, ['--number', '3']).ended).toMatchObject({
      code: 0,
    })
    expect(await room.known('3')).toMatchObject({ status: 'failed' })
  })

  test('with a long log has the end of it, whatever was streamed', async () => {
    const { ended } = room.build(
      `for (let i = 0; i < 60_000; i++) process.stdout.write(\`line \${i} of a build that says a lot, größer\\n\`)`,
      ['--number', '4'],
    )
    const { out, code } = await ended
    expect(code).toBe(0)
    const all = out.toString()
    expect(all.split('\n')).toHaveLength(60_001)
    expect((await room.log('4')) === all.slice(-LOG_MAX)).toBe(true)
  })

  test('with one endless line does no harm', async () => {
    const { ended } = room.build(`process.stdout.write('x'.repeat(5_000_000))`, ['--number', '5'])
    expect((await ended).out).toHaveLength(5_000_000)
    expect((await room.log('5')) === 'x'.repeat(LOG_MAX)).toBe(true)
  })

  test('gets its arguments, its input and its environment unchanged', async () => {
    const show = `process.stdout.write(JSON.stringify([process.argv.slice(1), require('node:fs').readFileSync(0, 'utf8'), process.env.MOOD]))`
    const words = ['--json', '7', '--', '-x', '--host=elsewhere', 'a b', '"', '$HOME', '']
    const { out } = await room.start(
      ['run', '--job', 'Game', '--number', '6', '--', process.execPath, '-e', show, '--', ...words],
      { MOOD: 'fine' },
      'typed',
    ).ended
    expect(JSON.parse(out.toString())).toEqual([words, 'typed', 'fine'])
  })

  test('sends no secrets of its environment to the service', async () => {
    const env = { DEPLOY_TOKEN: 'hunter2-hunter2' }
    const { out } = await room.build(
      `console.log(process.env.DEPLOY_TOKEN, process.env.GOLDMASTER_WEBHOOK_TOKEN)`,
      ['--number', '7'],
      env,
    ).ended
    expect(out.toString()).toBe(`hunter2-hunter2 ${room.tools.tokenOf('jenkins')}\n`)
    expect(await room.log('7')).toBe(`${'*'.repeat(15)} ${'*'.repeat(64)}\n`)
  })

  test('never has a secret sent in two halves', async () => {
    const { ended } = room.build(
      `process.stdout.write('first\\nhunter2-');${waitFor('half')};console.log('hunter2')`,
      ['--number', '11'],
      { DEPLOY_TOKEN: 'hunter2-hunter2' },
    )
    await until(async () => (await room.known('11')).status === 'building' && (await room.log('11')) === 'first\n')
    allow('half')
    expect((await ended).out.toString()).toBe('first\nhunter2-hunter2\n')
    expect(await room.log('11')).toBe(`first\n${'*'.repeat(15)}\n`)
  })

  test('whose helper outlives it ends when it ends', async () => {
    const helper = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'inherit', detached: true })`
    const { ended } = room.build(`const { pid } = ${helper}; console.log(pid); process.exit(5)`, ['--number', '8'])
    const { code, out } = await ended
    expect(code).toBe(5)
    process.kill(Number(out.toString()))
  })

  test("that cannot be found ends with a shell's exit code, and has failed", async () => {
    const { code, err } = await room.start(['run', '--job', 'Game', '--number', '9', '--', './no-such-build']).ended
    expect([code, err.toString()]).toEqual([127, "goldmaster: Can't run ./no-such-build: command not found\n"])
    expect(await room.known('9')).toMatchObject({ status: 'failed' })
  })

  test('keeps the order of its two outputs if both go to the same file', async () => {
    const script = `for (let i = 0; i < 50; i++) { process.stdout.write('o' + i + ' '); process.stderr.write('e' + i + ' ') }`
    const both = `"$0" "$1" run --job Game --number 10 -- "$0" -e "$2" 2>&1`
    const { spawnSync } = await import('node:child_process')
    const env = { PATH: process.env.PATH!, HOME: room.folder }
    const { stdout } = spawnSync('sh', ['-c', both, process.execPath, CLIENT, script], { env })
    const printed = Array.from({ length: 50 }, (_, i) => `o${i} e${i} `).join('')
    expect(stdout.toString()).toContain(printed)
  })
})

describe.skipIf(process.platform === 'win32')('a signal', () => {
  test('reaches the build, which counts as canceled then', async () => {
    const { child, ended, printed } = room.build(
      `process.on('SIGTERM', () => { console.log('tidied up'); process.exit(143) }); console.log('up'); setInterval(() => {}, 1000)`,
      ['--number', '20'],
    )
    await until(() => printed() === 'up\n')
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, out: Buffer.from('up\ntidied up\n') })
    expect(await room.known('20')).toMatchObject({ status: 'cancelled' })
  })

  test('that ends the build ends its command, too', async () => {
    const { child, ended, printed } = room.build(`console.log('up'); setInterval(() => {}, 1000)`, ['--number', '21'])
    await until(() => printed() === 'up\n')
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' })
    expect(await room.known('21')).toMatchObject({ status: 'cancelled' })
    expect(await room.build(`process.kill(process.pid, 'SIGKILL')`, ['--number', '22']).ended).toMatchObject({
      signal: 'SIGKILL',
    })
    expect(await room.known('22')).toMatchObject({ status: 'failed' })
  })
})

describe('an unreachable service', () => {
  const AWAY = { GOLDMASTER_HOST: 'http://127.0.0.1:9' }

  test('delays nobody; the end is saved on disk and sent once', async () => {
    const spool = join(room.folder, 'spool')
    const service = await openLocalServer((_, reply) => reply.writeHead(503).end('{}'))
    const away = await room.build(`console.log('alone'); process.exitCode = 4`, ['--number', '30'], {
      GOLDMASTER_HOST: service.url,
      GOLDMASTER_SPOOL: spool,
    }).ended
    await service.close()
    expect(away).toMatchObject({ code: 4, out: Buffer.from('alone\n') })
    expect(away.err.toString()).toMatch(/^goldmaster: Couldn't report the result of Game #30: .*goldmaster run --flush\n$/)
    expect(await room.known('30')).toEqual([])
    const [file] = readdirSync(spool)
    // It was saved for another URL; here the service has moved.
    const { readFileSync } = await import('node:fs')
    const spooled = readFileSync(join(spool, file!), 'utf8')
    expect(spooled).not.toContain(room.tools.tokenOf('jenkins'))
    writeFileSync(join(spool, file!), spooled.replace(service.url, room.tools.studio.site))
    const flush = async () => (await room.start(['run', '--flush'], { GOLDMASTER_SPOOL: spool }).ended).err.toString()
    expect(await flush()).toBe('goldmaster: Sent 1 report.\n')
    expect(await flush()).toBe('goldmaster: Sent 0 reports.\n')
    expect(await room.known('30')).toMatchObject({ status: 'failed' })
    expect(await room.log('30')).toBe('alone\n')
  })

  test('that comes back gets the saved reports with the next build, for the same token only', async () => {
    const spool = join(room.folder, 'spool-2')
    mkdirSync(spool)
    const { createHash } = await import('node:crypto')
    const of = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 16)
    const waiting = (number: string, token: string) =>
      writeFileSync(
        join(spool, `${number}.json`),
        JSON.stringify({
          site: room.tools.studio.site,
          token: of(token),
          report: { job_name: 'Game', build_number: number, status: 'SUCCESS' },
        }),
      )
    waiting('31', room.tools.tokenOf('jenkins'))
    waiting('32', 'f'.repeat(64))
    writeFileSync(join(spool, 'broken.json'), '{')
    const { ended } = room.build(waitFor('flushed'), ['--number', '33'], { GOLDMASTER_SPOOL: spool })
    await until(() => !existsSync(join(spool, '31.json')))
    allow('flushed')
    await ended
    expect(await room.known('31')).toMatchObject({ status: 'completed' })
    expect(readdirSync(spool).sort()).toEqual(['32.json', 'broken.json'])
  })

  test.each([
    ['one that refuses the token', 401, '', /The service rejected .* answered 401/],
    ['one that asks to wait', 429, '{"error":"rate_limited"}', /Couldn't report/],
    ['one that fails', 500, '<html>', /Couldn't report/],
    ['one that refuses a large body', 413, '{}', /Couldn't report/],
    ['one that is another server', 200, '<html>welcome', /Couldn't report/],
    ['one that redirects', 302, '', /Couldn't report/],
  ])('or %s does not affect a build', async (_, status, body, said) => {
    const headers = { 'retry-after': '300', location: 'https://login.example/' }
    const service = await openLocalServer((request, reply) =>
      request.resume().on('end', () => reply.writeHead(status, headers).end(body)),
    )
    const { code, out, err } = await room.build(`console.log('fine'); process.exitCode = 6`, ['--number', '34'], {
      GOLDMASTER_HOST: service.url,
    }).ended
    await service.close()
    expect([code, out.toString()]).toEqual([6, 'fine\n'])
    expect(err.toString()).toMatch(said)
    expect(err.toString().match(/\n/g)).toHaveLength(1)
  })

  test('or one that never responds does not block a build', async () => {
    const service = await openLocalServer(() => {})
    const { code, err } = await room.build(`process.exitCode = 7`, ['--number', '35'], { GOLDMASTER_HOST: service.url }).ended
    await service.close()
    expect([code, err.toString()]).toEqual([7, expect.stringContaining('did not respond')])
  })

  test.each([
    ['no service', { GOLDMASTER_HOST: '' }, 'GOLDMASTER_HOST'],
    ['no token', { GOLDMASTER_WEBHOOK_TOKEN: '' }, 'GOLDMASTER_WEBHOOK_TOKEN'],
    ['an invalid URL', { GOLDMASTER_HOST: 'ftp://gold' }, 'not a service URL'],
  ])('or %s is configured: the build runs and prints one line about it', async (_, env, named) => {
    const { code, out, err } = await room.build(`console.log('fine')`, [], env).ended
    expect([code, out.toString()]).toEqual([0, 'fine\n'])
    expect(err.toString()).toMatch(/^goldmaster: Not reporting this build: [^\n]+\n$/)
    expect(err.toString()).toContain(named)
  })

  test('unreadable settings do not prevent a build from running', async () => {
    const home = join(room.folder, 'broken')
    mkdirSync(join(home, 'goldmaster'), { recursive: true })
    writeFileSync(join(home, 'goldmaster/config.json'), '{')
    expect(await room.build(`console.log('fine')`, [], { ...AWAY, XDG_CONFIG_HOME: home }).ended).toMatchObject({
      code: 0,
      out: Buffer.from('fine\n'),
    })
  })
})

test('two builds of one number at once do not mix their logs', async () => {
  const printing = (name: string, then: string) =>
    room.build(`console.log('${name} begins');${waitFor(then)};console.log('${name} ends')`, ['--number', '40'])
  const first = printing('first', 'both')
  await until(async () => (await room.known('40')).status === 'building' && (await room.log('40')).includes('first begins'))
  const second = printing('second', 'second alone')
  await until(async () => (await room.log('40')) === 'second begins\n')
  allow('both')
  expect(await first.ended).toMatchObject({ code: 0, out: Buffer.from('first begins\nfirst ends\n') })
  expect(await room.log('40')).toBe('first begins\nfirst ends\n')
  allow('second alone')
  expect(await second.ended).toMatchObject({ code: 0, out: Buffer.from('second begins\nsecond ends\n') })
  expect(await room.log('40')).toBe('second begins\nsecond ends\n')
})

test('without a command it prints its usage', async () => {
  const { code, err } = await room.start(['run', '--job', 'Game']).ended
  expect([code, err.toString()]).toEqual([2, expect.stringContaining('Missing command. Usage:')])
})
