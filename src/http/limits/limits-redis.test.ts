import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keepLog } from '../../../test/support/log.ts'
import { freePort } from '../../../test/support/servers/free-port.ts'
import { describeWith, testWith } from '../../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { until } from '../../../test/support/until.ts'

/** Limits that nodes share through a Redis that the test starts. */

let main: Studio
const running = new Set<ChildProcess>()
beforeAll(async () => {
  main = await openStudio(workshop)
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await main.close()
})

const { id, tokenOf } = visitor(() => main)
const create = async (node: Studio) =>
  (
    await node.ask(`/api/v1/projects/${id('projects', 'star')}/tasks`, {
      method: 'POST',
      token: tokenOf('lead'),
      body: { task: { title: 'x' } },
    })
  ).status
const rates = (points: number) => ({ taskWrites: { points, seconds: 60 } })
const passed = (statuses: number[]) => statuses.filter((status) => status === 201).length

async function startRedis(port: number): Promise<ChildProcess> {
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'])
  running.add(child)
  let said = ''
  child.stdout!.on('data', (chunk) => {
    said += chunk
  })
  await until(() => /ready to accept connections/i.test(said))
  return child
}
async function stop(child: ChildProcess) {
  running.delete(child)
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** A busy machine must not count as a hanging Redis. */
const patient = (redisUrl: string) => ({ redisUrl, redisTimeout: 60_000 })

async function withNodes(
  count: number,
  points: number,
  redis: { redisUrl: string; redisTimeout?: number },
  work: (nodes: Studio[], said: () => string) => Promise<void>,
) {
  const { log, text } = keepLog()
  const nodes = await Promise.all(
    Array.from({ length: count }, () => openStudio({}, { beside: main, rates: rates(points), ...redis, service: { log } })),
  )
  await work(nodes, text).finally(() => Promise.all(nodes.map((node) => node.close())))
}

describeWith('redis-server')('nodes that share a Redis', () => {
  let url: string
  beforeAll(async () => {
    const port = await freePort()
    await startRedis(port)
    url = `redis://127.0.0.1:${port}`
  })

  test('together never allow more than one node would, from their first request on', async () => {
    await withNodes(3, 12, patient(url), async (nodes, said) => {
      const statuses = await Promise.all(Array.from({ length: 30 }, (_, i) => create(nodes[i % 3]!)))
      expect(passed(statuses), said()).toBe(12)
      for (const node of nodes) expect(await create(node)).toBe(429)
    })
  })
})

describe('a Redis that is unreachable', () => {
  test('from the start blocks nobody and is logged; each node counts by itself', async () => {
    await withNodes(1, 3, patient(`redis://127.0.0.1:${await freePort()}`), async ([node], said) => {
      expect(await Promise.all([create(node!), create(node!), create(node!)])).toEqual([201, 201, 201])
      expect(await create(node!)).toBe(429)
      expect(said()).toContain('redis does not respond')
    })
  })

  testWith('redis-server')('later blocks nobody, is logged, and is used again when it is back', async () => {
    const port = await freePort()
    const redis = await startRedis(port)
    await withNodes(2, 2, patient(`redis://127.0.0.1:${port}`), async ([a, b], said) => {
      expect([await create(a!), await create(b!), await create(a!)]).toEqual([201, 201, 429])
      await stop(redis)
      expect([await create(a!), await create(a!), await create(a!)]).toEqual([201, 201, 429])
      await until(() => said().includes('redis does not respond'))
      const again = await startRedis(port)
      const answers = () => said().split('redis responds again').length - 1
      await until(() => answers() >= 4)
      expect(passed(await Promise.all([create(a!), create(b!), create(a!), create(b!)]))).toBe(2)
      await stop(again)
    })
  })

  testWith('redis-server')('because it hangs delays one request by two seconds, not all of them', async () => {
    const port = await freePort()
    const redis = await startRedis(port)
    await withNodes(1, 1000, { redisUrl: `redis://127.0.0.1:${port}` }, async ([node], said) => {
      expect(await create(node!)).toBe(201)
      redis.kill('SIGSTOP')
      const began = Date.now()
      for (let i = 0; i < 60; i++) expect(await create(node!)).toBe(201)
      expect(Date.now() - began).toBeLessThan(60 * 2_000)
      expect(said()).toContain('redis does not respond')
      redis.kill('SIGCONT')
    })
    await stop(redis)
  })
})
