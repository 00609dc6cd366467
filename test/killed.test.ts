import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effects, openNode, sendWhile } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { until } from './support/until.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: ['github', 'perforce'].map((provider) => ({ key: provider, project: 'star', provider })),
  })
})
afterAll(() => studio.close())

test('kill -9 in the middle of retried deliveries: each is recorded exactly once', async () => {
  const COUNT = 400
  const node = await openNode(studio)
  const answers = await sendWhile(studio, node.site, COUNT, async (sent) => {
    await until(() => sent() > COUNT / 4)
    expect(await node.kill()).toBe('SIGKILL')
    await node.start()
  })
  expect(answers).toHaveLength(COUNT)
  expect(answers.some(({ tries }) => tries > 1)).toBe(true)
  // The work after a 202 is done too, by any node.
  await until(async () => ((await effects(studio)) as { waiting: number }).waiting === 0)
  expect(await effects(studio)).toEqual({ changes: COUNT, assets: COUNT, version: 1, approvals: COUNT, taken: COUNT, waiting: 0 })
  // It stops before its timeout.
  expect(await node.kill('SIGTERM')).toBe(0)
})

test('when stopping, it also responds to connections in the accept queue', async () => {
  const node = await openNode(studio)
  const { hostname, port } = new URL(node.site)
  // A stopped process accepts nothing: the system queues the connections.
  void node.kill('SIGSTOP')
  const answers: Promise<string>[] = []
  for (let i = 0; i < 40; i++)
    await new Promise<void>((stands) => {
      const caller = connect(Number(port), hostname, () =>
        caller.write('GET /healthz HTTP/1.1\r\nhost: gold\r\n\r\n', () => stands()),
      )
      let said = ''
      caller.on('data', (bytes) => (said += bytes)).on('error', () => {})
      answers.push(new Promise((done) => caller.on('close', () => done(said))))
    })
  const ended = node.kill('SIGTERM')
  void node.kill('SIGCONT')
  expect(await ended).toBe(0)
  for (const said of await Promise.all(answers)) expect(said).toMatch(/^HTTP\/1.1 200 /)
})
