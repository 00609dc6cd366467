import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratch, standIn } from '../../../test/support/stand-in.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { until } from '../../../test/support/until.ts'
import { sql } from '../../db/database.ts'
import { ingest } from '../ingest.ts'
import type { JobContext } from '../job-context.ts'
import { readCheckouts } from './read-checkouts.ts'

const { folder, remove } = scratch()
const asked = join(folder, 'asked')
const go = join(folder, 'go')
const path = process.env.PATH
let studio: Studio

beforeAll(async () => {
  // Silent to the user of one account until the file exists.
  standIn(
    folder,
    'p4',
    `fs.appendFileSync(${JSON.stringify(asked)}, process.env.P4USER + '\\n')
    const answer = () => console.log(JSON.stringify({ user: 'zoe', client: 'zoe-ws', action: 'edit' }))
    const wait = () => (process.env.P4USER === 'fox' || fs.existsSync(${JSON.stringify(go)}) ? answer() : setTimeout(wait, 20))
    wait()`,
  )
  process.env.PATH = `${folder}${delimiter}${path}`
  const keys = ['owl', 'fox']
  studio = await openStudio({
    accounts: keys.map((key) => ({ key, name: key })),
    projects: keys.map((key) => ({ key, account: key, name: key })),
    integrations: keys.map((key) => ({
      key,
      project: key,
      provider: 'perforce',
      config: { server: '127.0.0.1:1666', user: key },
    })),
  })
})
afterAll(async () => {
  process.env.PATH = path
  remove()
  await studio.close()
})

/** Assets that a changelist touched. */
async function assetsOf(key: string, count: number) {
  const [account_id, project_id] = [Number(studio.world.accounts![key]!.id), Number(studio.world.projects![key]!.id)]
  const files = Array.from({ length: count }, (_, at) => `//${key}/main/T_${at}.uasset`)
  const { json } = await studio.ask(`/webhooks/perforce?token=${studio.world.integrations![key]!.webhook_token}`, {
    method: 'POST',
    body: { changelist: 7, user: 'zoe', description: 'Paint', files },
  })
  await ingest(studio.db, { account_id, delivery_id: Number(json.delivery_id) })
  const assets = await studio.db.rows<{ id: string }>(sql`select id from assets where project_id = ${project_id} order by path`)
  expect(assets).toHaveLength(count)
  return { by: { account_id, project_id }, ids: assets.map(({ id }) => id) }
}

test('files of another account are asked for although the server of one account is silent to all it is asked', async () => {
  const [owl, fox] = [await assetsOf('owl', 6), await assetsOf('fox', 1)]
  const { db, vault, log } = studio.service
  const context: JobContext = { db, vault, log, allowed: () => true }
  const silent = owl.ids.map((id) => readCheckouts(context, owl.by, id))
  await until(() => existsSync(asked) && readFileSync(asked, 'utf8').split('owl').length > 4)
  const answered = readCheckouts(context, fox.by, fox.ids[0]!)
  // Its turn comes when one of the others ends.
  writeFileSync(go, '')
  const zoe = { name: 'zoe', workspace: 'zoe-ws', action: 'edit', user_id: null }
  expect(await answered).toEqual({ checkouts: [zoe] })
  expect(await Promise.all(silent)).toEqual(owl.ids.map(() => ({ checkouts: [zoe] })))
})
