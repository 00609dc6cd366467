import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keepLog } from '../../test/support/log.ts'
import { openPair, type Pair } from '../../test/support/servers/standby.ts'
import { openUnsteadyWay } from '../../test/support/servers/unsteady.ts'
import { type Answer, openStudio, type Studio } from '../../test/support/studio.ts'
import { all, asker } from '../../test/support/studios/every-route.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { until } from '../../test/support/until.ts'
import { CONNECT_MS, GRACE_MS } from '../db/database.ts'
import { openReplica, type Replica } from '../db/replica.ts'
import { readEnvironment } from './environment.ts'
import { defaultConnections, openPools, type Pools, poolSizes } from './pools.ts'

const PROMISED_MS = 10_000
/** Of a statement: a busy machine takes several seconds for a good one. */
const STATEMENT_MS = 8_000
/** A real hang lasts minutes: everything up to here is only a busy machine. */
const HANGING_MS = 100_000

test('waiting for a connection and then for a statement takes no longer than a request may', () => {
  expect(CONNECT_MS + readEnvironment({}).statementTimeout + GRACE_MS).toBeLessThanOrEqual(PROMISED_MS)
})

// On Windows a standby would need its own port and password.
describe.skipIf(process.platform === 'win32')('a node whose database hangs', () => {
  type Way = Awaited<ReturnType<typeof openUnsteadyWay>>
  let pair: Pair
  let primary: Way
  let standby: Way
  let pools: Pools
  let replica: Replica
  let node: Studio
  let ciToken: string
  beforeAll(async () => {
    pair = await openPair()
    primary = await openUnsteadyWay(pair.primary.url)
    standby = await openUnsteadyWay(pair.standby.url)
    pools = openPools(primary.url, { statementTimeout: STATEMENT_MS, onError: () => {}, files: pair.primary.db.files })
    const { db, intake, connections } = pools
    replica = openReplica(standby.url, db, keepLog().log)
    node = await openStudio(nightOwl, { beside: pair.primary, service: { db, intake, connections, replica } })
    const { star } = node.world.projects!
    const loaded = await node.load({ integrations: [{ key: 'ci', project: star!.id, provider: 'jenkins' }] })
    ciToken = loaded.integrations!.ci!.webhook_token
  })
  afterAll(async () => {
    primary?.become('good')
    await node?.close()
    await replica?.close()
    await pools?.close()
    primary?.close()
    standby?.close()
    await pair?.close()
  })

  // Leftovers of a failed test would block the next.
  beforeEach(() => {
    primary.become('good')
    standby.become('good')
  })

  const { ask, tokenOf } = asker(() => node)
  const push = () =>
    node.ask('/webhooks/ci?token=nobody-has-this-one', {
      method: 'POST',
      body: { job_name: 'night', build_number: 1, status: 'SUCCESS' },
    })
  const crowd: [string, () => Promise<Answer>][] = [
    ...all.map(([name]): [string, () => Promise<Answer>] => [name, () => ask(name)]),
    ['a webhook', push],
    ['readiness', () => node.ask('/readyz')],
    ['metrics', () => node.ask('/metrics')],
    [
      'assistants',
      () => node.ask('/mcp', { method: 'POST', token: tokenOf('all'), body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }),
    ],
    ['the app', () => node.ask('/app/v1/welcome')],
  ]
  /** Many more requests than connections, all at once: some wait for a connection first. */
  const askAll = (asked = crowd) =>
    Promise.all(
      asked.map(async ([name, ask]) => {
        const began = performance.now()
        const { status } = await ask()
        return { name, status, ms: performance.now() - began }
      }),
    )
  let reported = 0
  /** A burst of build reports, several of each job. */
  const burst = (): typeof crowd =>
    Array.from({ length: 40 }, (_, i) => [
      'a report',
      () =>
        node.ask(`/webhooks/ci?token=${ciToken}`, {
          method: 'POST',
          body: { job_name: `job ${i % 8}`, build_number: ++reported, status: 'FAILURE', log: 'a line' },
        }),
    ])
  type Answers = Awaited<ReturnType<typeof askAll>>
  const late = (answers: Answers) => answers.filter(({ ms }) => ms > HANGING_MS)
  const broken = (answers: Answers) => answers.filter(({ status }) => status >= 500)
  /** More than the connections of every pool. */
  const some = [...crowd.slice(0, 20), ...crowd.slice(-5)]
  const whole = async () => broken(await askAll(some)).length === 0
  const idle = async () => {
    const since = performance.now()
    await until(() => performance.now() - since > STATEMENT_MS + 2 * GRACE_MS)
  }

  test.each([
    ['stops', async () => primary.become('silent')],
    [
      'stops after an idle period',
      async () => {
        await idle()
        primary.become('silent')
      },
    ],
    ['vanishes silently', async () => primary.vanish()],
    [
      'vanishes after an idle period',
      async () => {
        await idle()
        primary.vanish()
      },
    ],
    ['hangs up', async () => primary.become('hangs up')],
  ])('responds to everybody in time when the primary %s, and continues when it is back', async (_, happen) => {
    await until(whole)
    await happen()
    const answers = await askAll()
    expect(late(answers)).toEqual([])
    expect(broken(answers).filter(({ status }) => status !== 503)).toEqual([])
    expect(broken(answers).length).toBeGreaterThan(0)
    primary.become('good')
    await until(whole)
  })

  test.each([
    ['stops', async () => standby.become('silent')],
    [
      'stops after an idle period',
      async () => {
        await idle()
        standby.become('silent')
      },
    ],
    ['vanishes silently', async () => standby.vanish()],
    ['hangs up', async () => standby.become('hangs up')],
  ])('responds to everybody with success when the standby %s', async (_, happen) => {
    const seen = replica.reads.replica
    await until(async () => (await whole()) && replica.reads.replica > seen)
    await happen()
    const answers = await askAll([...crowd, ...burst()])
    expect(late(answers)).toEqual([])
    expect(broken(answers)).toEqual([])
    expect(answers.filter(({ name, status }) => name === 'a report' && status !== 200)).toEqual([])
    standby.become('good')
    const before = replica.reads.replica
    await until(async () => (await whole()) && replica.reads.replica > before)
  })
})

test("processes of one node share its connections, and up to eight processes stay below PostgreSQL's default limit", () => {
  expect(poolSizes(defaultConnections(1), 1)).toEqual({ statements: 10, transactions: 5, intake: 5, jobs: 10 })
  for (let workers = 2; workers <= 8; workers++) {
    const { statements, transactions, intake, jobs } = poolSizes(defaultConnections(workers), workers)
    expect(workers * (statements + transactions + intake) + jobs, `${workers} workers`).toBeLessThanOrEqual(95)
    expect(Math.min(statements, transactions, intake)).toBeGreaterThanOrEqual(2)
  }
})
