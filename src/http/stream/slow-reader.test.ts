import { connect } from 'node:net'
import { afterAll, beforeAll, test } from 'vitest'
import { listen } from '../../../test/support/listening.ts'
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

/** More than the operating system buffers for a connection, plus the most that the service buffers. */
const EVENTS = 25_000

test('a client that does not read is disconnected, and one that reads gets everything', async () => {
  const token = studio.world.tokens!.kim!.token as string
  const { hostname, port } = new URL(studio.site)
  const slow = connect(Number(port), hostname)
  slow.pause()
  slow.write(`GET /api/v1/workspace/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
  let ended = false
  slow
    .on('error', () => {})
    .on('close', () => {
      ended = true
    })
  const reader = await listen({ site: studio.site, token })
  await studio.db.execute(sql`insert into tasks (account_id, project_id, title)
    select p.account_id, p.id, repeat('long ', 50) || n from projects p, generate_series(1, ${EVENTS}) n`)
  await reader.until(EVENTS)
  // The operating system's buffer is read to its end; then the connection is closed.
  slow.resume()
  await until(() => ended)
  reader.stop()
})
