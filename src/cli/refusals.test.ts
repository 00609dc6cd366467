import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'

let studio: Studio
let line: CommandLine
const as = (key: string) => ({ GOLDMASTER_TOKEN: studio.world.tokens![key]!.token as string, GOLDMASTER_HOST: studio.site })
const project = (key: string) => ['--project', String(studio.world.projects![key]!.id)]

beforeAll(async () => {
  studio = await openStudio(nightOwl, { rates: { taskWrites: { points: 2, seconds: 2 } } })
  line = new CommandLine()
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const oneLine = /^goldmaster: [^\n]*\n$/

describe('refused callers', () => {
  test('a user who is not signed in', async () => {
    const { code, err } = await line.run(['tasks', 'list', ...project('star')], { env: { GOLDMASTER_HOST: studio.site } })
    expect(code).toBe(4)
    expect(err).toBe(`goldmaster: You are not signed in at ${studio.site}. Run: goldmaster login --host ${studio.site}\n`)
  })

  test.each(['revoked', 'expired'])('a user with a token that is %s', async (key) => {
    const { code, err } = await line.run(['tasks', 'list', ...project('star')], { env: as(key) })
    expect(code).toBe(4)
    expect(err).toMatch(oneLine)
    expect(err).toContain('GOLDMASTER_TOKEN')
    expect((await line.run(['feed', '--follow'], { env: as(key) })).code).toBe(4)
    expect((await line.run(['api', 'GET', '/v1/ping'], { env: as(key) })).code).toBe(4)
  })

  test('a refused stored token asks for a new login; a refused new one is not stored', async () => {
    const { token } = studio.world.tokens!.revoked! as { token: string }
    expect(await line.run(['login', '--token', '--host', studio.site], { input: token })).toMatchObject({
      code: 4,
      err: expect.stringContaining('Nothing was saved'),
    })
    const folder = join(line.home, 'kept/goldmaster')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'hosts.json')
    writeFileSync(
      file,
      JSON.stringify({ default: studio.site, hosts: { [studio.site]: { token, scopes: [], expires_at: null } } }),
    )
    chmodSync(file, 0o644)
    const { code, err } = await line.run(['whoami'], { env: { XDG_CONFIG_HOME: join(line.home, 'kept') } })
    expect(code).toBe(4)
    expect(err).toContain(`goldmaster login --host ${studio.site}`)
  })

  test('a token without the scope gets its name, and members where to get it', async () => {
    const tasks = await line.run(['tasks', 'list', ...project('star')], { env: as('without read:tasks') })
    expect(tasks).toMatchObject({ code: 1, err: expect.stringMatching(oneLine) })
    // A login does not replace the environment's token.
    expect(tasks.err).toContain(`create a token with read:tasks at ${studio.site}/settings/tokens and set it instead`)
    const { token } = studio.world.tokens!['without read:tasks']! as { token: string }
    await line.run(['login', '--token', '--host', studio.site], { input: token })
    const kept = await line.run(['tasks', 'list', '--host', studio.site, ...project('star')])
    expect(kept.err).toMatch(/allow it on the page that opens \(\S+\/cli\/auth\): goldmaster login --host \S+\n$/)
    await line.run(['login', '--token', '--host', studio.site], {
      input: studio.world.tokens!['without read:members']!.token as string,
    })
    const members = await line.run(['members', '--host', studio.site, ...project('star')])
    expect(members).toMatchObject({ code: 1, err: expect.stringContaining('goldmaster login cannot grant it') })
    expect(members.err).toContain('/settings/tokens')
    await line.run(['logout', '--host', studio.site])
  })

  test('a project of another account is not found', async () => {
    expect(await line.run(['tasks', 'list', ...project('fox')], { env: as('all') })).toMatchObject({
      code: 8,
      err: `goldmaster: Project not found. (at ${studio.site}; to see what exists, run: goldmaster projects list)\n`,
    })
  })

  test('a read-only account gets the reason, and where to fix it', async () => {
    const create = (key: string) => line.run(['tasks', 'create', '--title', 'x', ...project(key)], { env: as('all') })
    expect(await create('demo')).toMatchObject({ code: 1, err: expect.stringMatching(/demo account.*--project/) })
    expect(await create('lapsed')).toMatchObject({ code: 1, err: expect.stringContaining('/settings/billing') })
  })
})

describe('a service with a rate limit', () => {
  test('is retried after the time it asks for', async () => {
    const create = ['tasks', 'create', '--title', 'x', '--pick', 'id', ...project('star')]
    const ended = await Promise.all([1, 2, 3].map(() => line.run(create, { env: as('rival') })))
    // The other account cannot see the project; the token's limit comes before.
    expect(new Set(ended.map(({ code }) => code))).toEqual(new Set([8]))
    expect(ended.some(({ err }) => /Too many requests\. Retrying in \d s, as .* asks/.test(err))).toBe(true)
  })
})

describe('an unreachable service', () => {
  test.each([
    [['whoami'], 'http://127.0.0.1:9', 'connection refused'],
    [['feed', '--follow'], 'http://127.0.0.1:9', 'connection refused'],
    [['whoami'], 'https://nowhere.invalid', "Can't reach https://nowhere.invalid"],
  ])('%j at %s is one line', async (args, host, why) => {
    const { code, err } = await line.run([...args, '--host', host], { env: { GOLDMASTER_TOKEN: 'x' } })
    expect(code).toBe(1)
    expect(err).toMatch(oneLine)
    expect(err).toContain(why)
  })

  test.each(['https://a.example/path', 'https://user:pass@a.example', 'ht tp://x', 'ftp://a.example'])(
    '%s is not a host',
    async (host) => {
      expect(await line.run(['whoami', '--host', host], { env: { GOLDMASTER_TOKEN: 'x' } })).toMatchObject({
        code: 2,
        err: expect.stringMatching(oneLine),
      })
    },
  )
})

test("a folder's file chooses among known hosts and never sends a token to a new one", async () => {
  writeFileSync(join(line.home, '.goldmaster'), JSON.stringify({ project: '1', host: 'http://127.0.0.1:9' }))
  const { code, err } = await line.run(['tasks', 'list'], { env: as('all') })
  expect(code).toBe(2)
  expect(err).toContain('is for http://127.0.0.1:9')
  const kept = await line.run(['tasks', 'list'])
  expect(kept).toMatchObject({ code: 4, err: expect.stringContaining('You are not signed in at http://localhost:8080') })
})
