import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'

let studio: Studio
let line: CommandLine
const id = (kind: string, key: string) => String(studio.world[kind as 'tasks']![key]!.id)

beforeAll(async () => {
  studio = await openStudio(nightOwl)
  line = new CommandLine()
  const token = studio.world.tokens!.all!.token as string
  expect(await line.run(['login', '--token', '--host', studio.site], { input: `${token}\n` })).toMatchObject({ code: 0 })
  expect((await line.run(['use', 'starfall'])).code).toBe(0)
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const ok = async (...args: string[]) => {
  const ended = await line.run(args)
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended
}
const rows = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))

test('feed prints past events', async () => {
  await ok('tasks', 'start', id('tasks', 'task1'), id('tasks', 'task2'))
  const { out, err } = await ok('feed', '--event-type', 'task.*', '--days-back', '1', '--limit', '1')
  expect(rows(out).map(([, , , type]) => type)).toEqual(['task.state_changed'])
  expect(err).toContain('There are more')
  expect(await line.run(['feed', '--event-type', 'build'])).toMatchObject({ code: 2 })
})

test('api sends any request', async () => {
  expect(JSON.parse((await ok('api', 'get', '/v1/ping')).out)).toMatchObject({ ok: true })
  expect((await ok('api', 'GET', '/api/v1/projects/{project}/tasks', '-f', 'limit=1', '--pick', 'pagination.limit')).out).toBe(
    '1\n',
  )
  const fields = ['-f', 'task.title="7"', '-f', 'task.labels[]=x', '-f', 'task.labels[]=y']
  expect(JSON.parse((await ok('api', 'POST', '/v1/projects/{project}/tasks', ...fields)).out)).toMatchObject({
    title: '7',
    labels: ['x', 'y'],
  })
  const body = { input: JSON.stringify({ task: { state: 'blocked' } }) }
  const path = `/v1/projects/{project}/tasks/${id('tasks', 'task5')}`
  expect((await line.run(['api', 'PATCH', path, '--input', '-', '--pick', 'state'], body)).out).toBe('blocked\n')
  expect(await line.run(['api', 'GET', '/v1/nothing'])).toMatchObject({ code: 8, out: expect.stringContaining('not_found') })
  expect(await line.run(['api', 'GET', 'https://elsewhere.example/v1/ping'])).toMatchObject({ code: 2 })
})

test('open prints the page of a record', async () => {
  const star = `/projects/${id('projects', 'star')}`
  expect((await ok('open')).out).toBe(`${studio.site}${star}\n`)
  expect((await ok('open', 'task', id('tasks', 'task1'))).out).toBe(`https://gold.example${star}/tasks/${id('tasks', 'task1')}\n`)
  expect((await ok('open', 'approval', id('approvals', 'approval1'))).out).toBe(
    `${studio.site}${star}/assets/${id('assets', 'asset1')}\n`,
  )
  expect(await line.run(['open', 'task', '999999'])).toMatchObject({ code: 8 })
  expect(await line.run(['open', 'house'])).toMatchObject({ code: 2 })
})

test('completion offers commands, options and values', async () => {
  expect((await ok('__complete', 'bui')).out).toBe('builds\n')
  expect((await ok('__complete', 'tasks', 'list', '--prio')).out).toBe('--priority\n')
  expect((await ok('__complete', 'tasks', 'list', '--priority', 'c')).out).toBe('critical\n')
  expect((await ok('__complete', 'tasks', 'list', '--state', 'to_do,b')).out).toBe('to_do,blocked\n')
  for (const shell of ['bash', 'zsh', 'fish']) expect((await ok('completion', shell)).out).toContain('__complete')
})

test('help goes to standard output; a noun alone prints it and exits with 2', async () => {
  expect((await ok('tasks', 'list', '--help')).out).toContain('Examples:')
  expect((await ok()).out).toContain('diagnose')
  expect(await line.run(['tasks'])).toMatchObject({ code: 2, out: '' })
  expect((await ok('--version')).out).toBe('0.1.0\n')
})

test('logout deletes the token', async () => {
  const other = new CommandLine()
  await other.run(['login', '--token', '--host', studio.site], { input: studio.world.tokens!.all!.token as string })
  expect((await other.run(['logout'])).code).toBe(0)
  expect(await other.run(['whoami', '--host', studio.site])).toMatchObject({ code: 4 })
  expect(await other.run(['logout', '--host', studio.site])).toMatchObject({ code: 4 })
  other.close()
})
