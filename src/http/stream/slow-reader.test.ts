import { connect } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { listen } from '../../../test/support/callers/listening.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
  })
})
afterAll(() => studio.close())

/** Together more than the operating system buffers for a connection, plus the most that the service buffers. */
const PORTIONS = 13
const PORTION = 2_000

test('a client that does not read is disconnected, and one that reads gets everything', async () => {
  const token = studio.world.tokens!.kim!.token as string
  const { hostname, port } = new URL(studio.site)
  const slow = connect(Number(port), hostname)
  slow.pause()
  slow.on('error', () => {})
  slow.write(`GET /api/v1/workspace/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  const reader = await listen({ site: studio.site, token })
  const listeners = async () => Number(/^goldmaster_stream_listeners\S* (\d+)/m.exec((await studio.ask('/metrics')).text)?.[1])
  await until(async () => (await listeners()) === 2)
  for (let portion = 1; portion <= PORTIONS && (await listeners()) === 2; portion++) {
    await studio.db.execute(sql`insert into tasks (account_id, project_id, title)
      select p.account_id, p.id, repeat('long ', 50) || n from projects p, generate_series(1, ${PORTION}) n`)
    await reader.until(portion * PORTION)
  }
  await until(async () => (await listeners()) === 1)
  slow.destroy()
  reader.stop()
})
