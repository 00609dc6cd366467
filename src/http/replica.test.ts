import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { keepLog } from '../../test/support/log.ts'
import { openPair, type Pair } from '../../test/support/servers/standby.ts'
import { openUnsteadyWay } from '../../test/support/servers/unsteady.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { asker, paged } from '../../test/support/studios/every-route.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { until } from '../../test/support/until.ts'
import type { RouteName } from '../contract/routes.ts'
import { sql } from '../db/database.ts'
import { openReplica, POSITION, type Replica } from '../db/replica.ts'

// On Windows it would need its own port and password.
describe.skipIf(process.platform === 'win32')('with a replica', () => {
  const { log, lines } = keepLog()
  let pair: Pair
  let replica: Replica
  let studio: Studio
  let alone: Studio
  beforeAll(async () => {
    pair = await openPair()
    replica = openReplica(pair.standby.url, pair.primary.db, log)
    studio = await openStudio(nightOwl, { beside: pair.primary, service: { log, replica } })
    alone = await openStudio({}, { beside: pair.primary })
  })
  afterAll(async () => {
    await studio?.close()
    await alone?.close()
    await replica?.close()
    await pair?.close()
  })

  const { id, tokenOf, pathOf, ask } = asker(() => studio)
  const all = () => ({ token: tokenOf('all') })
  const said = (text: string) => lines.filter(({ msg }) => msg === text)
  /** Repeats until the replica has responded: it may have been skipped a moment ago. */
  const askReplica = async (path: string) => {
    for (;;) {
      const before = replica.reads.replica
      const answer = await studio.ask(path, all())
      expect(answer.status).toBe(200)
      if (replica.reads.replica > before) return answer.json
    }
  }
  const createTask = async (title: string) =>
    expect((await ask('createTask', undefined, { body: { task: { title } } })).status).toBe(201)
  const titles = async (at = studio) => {
    const { status, json } = await at.ask(pathOf('listTasks'), all())
    expect(status).toBe(200)
    return json.tasks.map(({ title }: { title: string }) => title)
  }
  const newest = async (at = studio) => (await titles(at))[0]

  // The artifacts of a build are read in two statements, on the primary.
  const ofReplica = paged.map(([name]) => name).filter((name) => name !== 'listBuildArtifacts')

  test.each<RouteName>([...ofReplica, 'listEvents'])(
    '%s is read there and returns what the primary would return, page by page',
    async (name) => {
      if (name === 'listEvents')
        for (const title of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await createTask(title)
      let cursor = ''
      for (const limit of [3, 2]) {
        const path = `${pathOf(name)}?limit=${limit}${cursor}`
        const { rollup: _, ...told } = await askReplica(path)
        expect(told.pagination.has_more).toBe(true)
        expect((await alone.ask(path, all())).json).toMatchObject(told)
        const heard = await pair.standby.rows<{ query: string }>(
          sql`select query from pg_stat_activity where application_name = 'goldmaster' and pid <> pg_backend_pid()`,
        )
        // PostgreSQL stores only the beginning of a statement: the limits of long ones are too far behind.
        const words =
          { listEvents: 'select x.source', listBreakages: 'k.flaky', listDeployments: 'd.track', searchDeployments: 'd.track' }[
            name as string
          ] ?? `limit ${limit + 1}`
        expect(heard.map(({ query }) => query)).toContainEqual(expect.stringContaining(words))
        cursor = `&cursor=${told.pagination.next_cursor}`
      }
    },
  )

  test('committed data is visible to everybody at once, however far the replica is behind', async () => {
    await askReplica(pathOf('listTasks'))
    const { length: warned } = said('reading lists from the primary')
    await pair.replay('pause')
    await createTask('told by a request')
    expect(await newest()).toBe('told by a request')
    // Not by a request: written as a job or an operator would.
    await studio.load({ tasks: [{ project: Number(id('projects', 'star')), title: 'told by a file' }] })
    for (const at of [studio, alone, studio]) expect(await newest(at)).toBe('told by a file')
    expect(said('reading lists from the primary').slice(warned)).toMatchObject([{ reason: 'the replica is behind' }])
    await pair.replay('resume')
    const { tasks } = await askReplica(pathOf('listTasks'))
    expect(tasks[0].title).toBe('told by a file')
  })

  test('the primary authenticates the caller: a revoked token is refused while the replica still has it', async () => {
    const token = tokenOf('without read:assets')
    await askReplica(pathOf('listTasks'))
    await pair.replay('pause')
    expect((await studio.ask(pathOf('listTasks'), { token })).status).toBe(200)
    await pair.primary.db.execute(sql`update api_tokens set revoked_at = now() where name = 'without read:assets'`)
    for (const name of ['listTasks', 'listEvents'] as const) expect((await studio.ask(pathOf(name), { token })).status).toBe(401)
    await pair.replay('resume')
  })

  test('unknown callers and those without the scope are refused as usual', async () => {
    for (const name of ['listTasks', 'listEvents'] as const)
      for (const token of ['bare', 'revoked', 'expired', 'rival']) {
        const path = name === 'listEvents' ? `${pathOf(name)}?account_id=${id('accounts', 'owl')}` : pathOf(name)
        const [here, there] = await Promise.all([studio, alone].map((at) => at.ask(path, { token: tokenOf(token) })))
        expect([here!.status, here!.text]).toEqual([there!.status, there!.text])
        expect(here!.status).toBeGreaterThan(400)
      }
  })

  test('nobody notices an outage of the replica: the primary responds, the log says so once, and it is used again when it is back', async () => {
    await askReplica(pathOf('listTasks'))
    const warned = () => said('reading lists from the primary').length
    const [before, again] = [warned(), said('reading lists from the replica again').length]
    await pair.stopStandby()
    for (let i = 0; i < 5; i++) expect(await newest()).toBe('told by a file')
    expect(warned()).toBe(before + 1)
    expect((await studio.ask('/readyz')).status).toBe(200)
    await pair.startStandby()
    await askReplica(pathOf('listTasks'))
    expect(said('reading lists from the replica again').length).toBe(again + 1)
  })

  test('a network that drops its responses does not block requests', async () => {
    const way = await openUnsteadyWay(pair.standby.url)
    const far = openReplica(way.url, pair.primary.db, log)
    const node = await openStudio({}, { beside: pair.primary, service: { replica: far } })
    await until(async () => (await newest(node)) === 'told by a file' && far.reads.replica > 0)
    way.become('silent')
    expect(await newest(node)).toBe('told by a file')
    const { text } = await node.ask('/metrics')
    expect(text).toContain(`goldmaster_list_reads_total{from="replica"} ${far.reads.replica}`)
    expect(text).toContain(`goldmaster_list_reads_total{from="primary"} ${far.reads.primary}`)
    way.close()
    await node.close()
    await far.close()
  })

  test.each([
    ['another database', () => pair.standby.url.replace('/goldmaster?', '/postgres?')],
    ['the primary', () => pair.primary.url],
    ['a separate server', () => inject('server')],
  ])('a URL of %s is never read from', async (_, url) => {
    const wrong = openReplica(url(), pair.primary.db, log)
    const node = await openStudio({}, { beside: pair.primary, service: { replica: wrong } })
    expect(await newest(node)).toBe('told by a file')
    expect(wrong.reads).toEqual({ replica: 0, primary: 1 })
    expect(lines.at(-1)).toMatchObject({ reason: 'DATABASE_REPLICA_URL is not a replica of DATABASE_URL' })
    await node.close()
    await wrong.close()
  })

  test('a primary that is a standby itself has no position and is used alone', async () => {
    expect(await pair.standby.one(sql`select ${POSITION} as position`)).toEqual({ position: null })
    const before = replica.reads.primary
    expect(await replica.read(null, (db) => db.one(sql`select pg_is_in_recovery() as standby`))).toEqual({ standby: false })
    expect(replica.reads.primary).toBe(before + 1)
  })
})
