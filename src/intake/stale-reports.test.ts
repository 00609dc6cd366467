import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [
      {
        key: 'ci',
        project: 'star',
        provider: 'jenkins',
        config: { server: 'https://ci.example', user: 'gold', api_token: 'token' },
      },
    ],
  })
})
afterAll(() => studio.close())

const report = async (status: string) =>
  (
    await studio.ask(`/webhooks/ci?token=${studio.world.integrations!.ci!.webhook_token}`, {
      method: 'POST',
      body: { job_name: 'night', build_number: 7, status, build_url: 'https://ci.example/job/night/7/' },
    })
  ).json
const polls = () => studio.db.execute(sql`select from jobs where kind = 'poll_jenkins'`)

test('an outdated report causes no request to Jenkins', async () => {
  expect((await report('SUCCESS')).status).toBe('processed')
  expect(await polls()).toBe(1)
  await studio.db.execute(sql`delete from jobs where name is not null`)
  expect((await report('STARTED')).status).toBe('stale')
  expect(await polls()).toBe(0)
})
