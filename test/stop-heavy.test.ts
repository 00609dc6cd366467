import { afterAll, beforeAll, expect, test } from 'vitest'
import { sql } from '../src/db/database.ts'
import { openNode } from './support/killing.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { commit, push } from './support/tools.ts'
import { until } from './support/until.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'github', project: 'star', provider: 'github' }],
  })
})
afterAll(() => studio.close())

const MIB = 1024 * 1024

test('a stop while large bodies are processed and wait ends in time: acknowledged ones are stored, others leave nothing', async () => {
  const { db } = studio
  const node = await openNode(studio)
  const send = async (i: number) => {
    const body = JSON.stringify(push([commit(String(i).padStart(40, '0'), { message: 'x'.repeat(2 * MIB) })]))
    const headers = { 'content-type': 'application/json', 'x-github-event': 'push' }
    const url = `${node.site}/webhooks/github?token=${studio.world.integrations.github!.webhook_token}`
    return (await fetch(url, { method: 'POST', headers, body })).status
  }
  let accepted = 0
  await db.transaction(async (db) => {
    // Nothing can be recorded: running ones would continue for a minute.
    await db.execute(sql`lock table changes in access exclusive mode`)
    const answers = Array.from({ length: 8 }, (_, i) => send(i))
    await until(
      async () =>
        (await studio.db.rows(sql`select from pg_locks where relation = 'changes'::regclass and not granted`)).length === 2,
    )
    // Zero: it ended before its timeout.
    expect(await node.kill('SIGTERM')).toBe(0)
    const statuses = await Promise.all(answers)
    accepted = statuses.filter((status) => status === 200).length
    // Those that ran are stored for later where there is time; nothing else was accepted.
    expect(accepted).toBeLessThanOrEqual(2)
    expect(statuses.filter((status) => status === 503)).toHaveLength(8 - accepted)
  })
  await until(
    async () =>
      (await db.rows(sql`select from pg_stat_activity where datname = current_database() and state like '%transaction%'`))
        .length === 0,
  )
  expect(await db.rows(sql`select id from changes`)).toEqual([])
  expect(await db.rows(sql`select id from deliveries`)).toHaveLength(accepted)
})
