import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { PROVIDERS } from '../contract/sets.ts'
import { sql } from '../db/database.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  })
})
afterAll(() => studio.close())

const run = (...words: string[]) => admin({ db: studio.db, vault: studio.service.vault }, ...words)
const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))
const integration = () => String(studio.world.integrations!.ci!.id)

describe('deliveries', () => {
  test('are sent, listed, shown and replayed', async () => {
    const sent = await json('deliveries', 'test', integration())
    expect(sent).toMatchObject({ status: 'processed', note: expect.stringContaining('would have made 1 build run') })
    const { deliveries, has_more } = await json(
      'deliveries',
      'list',
      '--envelope',
      '--integration',
      integration(),
      '--outcome',
      'processed',
    )
    expect({ ids: deliveries.map((one: { id: number }) => String(one.id)), has_more }).toEqual({
      ids: [sent.delivery_id],
      has_more: false,
    })
    expect(await json('deliveries', 'show', sent.delivery_id)).toMatchObject({
      event: 'build completed',
      body: expect.stringContaining('goldmaster-test'),
    })
    const again = await json('deliveries', 'replay', sent.delivery_id)
    expect(again).toMatchObject({ status: 'processed', note: sent.note })
    expect(await run('deliveries', 'list')).toMatch(/^\d+\t\S+Z\tjenkins\t.*\tprocessed\t/)
    expect(await run('deliveries', 'show', sent.delivery_id)).toContain('"job_name":"goldmaster-test"')
    const { integrations, failing_jobs } = await json('deliveries', 'health')
    expect(integrations).toMatchObject([{ provider: 'jenkins', deliveries: 0, failed: 0 }])
    expect(failing_jobs).toEqual([])
  })

  test('of an inactive integration show that the tool would be refused', async () => {
    expect(await run('deliveries', 'test', integration())).not.toContain('inactive')
    await run('integration', 'deactivate', integration())
    expect(await run('deliveries', 'test', integration())).toContain(`admin integration activate ${integration()}`)
    expect(await json('deliveries', 'test', integration())).toMatchObject({ active: false })
    await run('integration', 'activate', integration())
  })

  test('that do not exist are refused', async () => {
    await expect(run('deliveries', 'show', '999')).rejects.toThrow('not found')
    await expect(run('deliveries', 'replay', '999')).rejects.toThrow('not found')
    await expect(run('deliveries', 'test', '999')).rejects.toThrow('not found')
  })
})

describe('a new integration', () => {
  test.each(PROVIDERS)('of %s is printed with its URL, its token and its setup', async (provider) => {
    const printed = await run('integration', 'add', '--project', '1', '--provider', provider)
    const token = /webhook token +([0-9a-f]{64})/.exec(printed)![1]!
    expect(printed).toContain(`https://gold.example/webhooks/${provider}?token=${token}`)
    const [, guide] = printed.split('\n## ')
    expect(guide).toContain(token)
    expect(printed).toMatch(/“here” means https:\/\/gold\.example\/projects\/1\/integrations\/\d+\./)
  })

  test('of a service on a loopback address shows a notice', async () => {
    const add = (site: string) =>
      admin({ db: studio.db, vault: studio.service.vault, site }, 'integration', 'add', '--project', '1', '--provider', 'github')
    expect(await add('http://localhost:8080')).toContain('BASE_URL is http://localhost:8080')
    expect(await add('https://gold.example')).not.toContain('BASE_URL')
  })

  test('stores credentials of other servers encrypted', async () => {
    const config = JSON.stringify({ server: 'https://ci.example.com', user: 'gold', api_token: 'hush' })
    const shown = await run('integration', 'config', integration(), config)
    expect(shown).toContain('https://ci.example.com')
    expect(shown).not.toContain('hush')
    const stored = await studio.db.rows(sql`select config::text from integrations where id = ${Number(integration())}`)
    expect(JSON.stringify(stored)).not.toContain('hush')
  })
})
