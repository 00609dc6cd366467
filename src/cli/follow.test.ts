import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { openLocalServer } from '../../test/support/servers/local-server.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { visitor, workshop } from '../../test/support/studios/workshop.ts'
import * as tokens from '../domain/access/tokens.ts'

let studio: Studio
let line: CommandLine
const { inside, tokenOf } = visitor(() => studio)
const create = (title: string) => inside('/tasks', { method: 'POST', body: { task: { title } } })

beforeAll(async () => {
  studio = await openStudio(workshop)
  line = new CommandLine()
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

test('prints past events, then live ones, each once; ends when the token does', async () => {
  await create('Before')
  const steps = ['Before', 'While', 'After']
  const { code, out, err } = await line.run(['feed', '--follow', '--pick', 'message'], {
    env: { GOLDMASTER_TOKEN: tokenOf('lead'), GOLDMASTER_HOST: studio.site },
    watch(written) {
      if (written.includes(steps[0]!)) {
        steps.shift()
        if (steps.length > 0) void create(steps[0]!)
        else void tokens.revoke(studio.db, Number(studio.world.tokens!.lead!.id))
      }
    },
  })
  expect(out.match(/Before|While|After/g)).toEqual(['Before', 'While', 'After'])
  expect(code).toBe(4)
  expect(err).toContain('revoked')
})

test('resumes a broken stream where it broke', async () => {
  const event = (n: number) => ({
    event_type: 'task.state_changed',
    project_id: 1,
    project_name: 'Starfall',
    actor: 'system',
    timestamp: '2026-10-01T12:00:00.000Z',
    target_ref: `task #${n}`,
    status: 'info',
    message: `event ${n}`,
    url: '/',
    cursor_key: `k${n}`,
  })
  const said: (string | undefined)[] = []
  const server = await openLocalServer((request, response) => {
    if (!request.url!.includes('/stream')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(
        JSON.stringify({ events: [], rollup: null, pagination: { limit: 10, has_more: false, next_cursor: null } }),
      )
    }
    const last = request.headers['last-event-id'] as string | undefined
    said.push(last)
    if (said.length === 2) return response.writeHead(503).end()
    if (last === '2')
      return response.writeHead(403, { 'content-type': 'application/json' }).end('{"error":"x","message":"That is all."}')
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const n = said.length === 1 ? 1 : 2
    // Cut in the middle of a message: half of one must never be printed.
    response.write(`retry: 1000\n\n:\n\nid: ${n}\ndata: ${JSON.stringify(event(n))}\n\nid: 9\ndata: {"mess`)
    setTimeout(() => response.destroy(), 100)
  })
  const { code, out, err } = await line.run(['feed', '--follow', '--pick', 'message'], {
    env: { GOLDMASTER_TOKEN: 'x', GOLDMASTER_HOST: server.url },
  })
  await server.close()
  expect(out).toBe('event 1\nevent 2\n')
  expect(said).toEqual([undefined, '1', '1', '2'])
  expect(err).toContain('Reconnecting')
  expect(err).toContain('That is all.')
  expect(code).toBe(1)
})
