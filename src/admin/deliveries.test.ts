import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { PROVIDERS } from '../contract/sets.ts'
import { sql } from '../db/database.ts'
import { adminCommand } from './main.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
  })
})
afterAll(() => studio.close())
afterEach(() => vi.restoreAllMocks())

/** Runs a command as the operator does and gives what it printed. */
async function run(...words: string[]): Promise<string> {
  let printed = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text
    return true
  })
  const { vault } = studio.service
  await adminCommand(async () => ({
    db: studio.db,
    vault,
    site: 'https://gold.example',
    metering: false,
    close: async () => {},
  })).parseAsync(words, { from: 'user' })
  vi.restoreAllMocks()
  return printed
}
const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))
const integration = () => String(studio.world.integrations!.ci!.id)

describe('deliveries', () => {
  test('are sent, listed, shown and replayed', async () => {
    const sent = await json('deliveries', 'test', integration())
    expect(sent).toMatchObject({ status: 'processed', records: [{ type: 'build_run' }] })
    const { deliveries, has_more } = await json('deliveries', 'list', '--integration', integration(), '--outcome', 'processed')
    expect({ ids: deliveries.map((one: { id: number }) => String(one.id)), has_more }).toEqual({
      ids: [sent.delivery_id],
      has_more: false,
    })
    expect(await json('deliveries', 'show', sent.delivery_id)).toMatchObject({
      event: 'build completed',
      body: expect.stringContaining('goldmaster-test'),
    })
    const again = await json('deliveries', 'replay', sent.delivery_id)
    expect(again).toMatchObject({ status: 'processed', records: sent.records })
    expect(await run('deliveries', 'list')).toMatch(/^id +received_at +provider .*\n\d+ .*processed/)
    expect(await run('deliveries', 'show', sent.delivery_id)).toContain('"job_name":"goldmaster-test"')
    const { integrations, failing_jobs } = await json('deliveries', 'health')
    expect(integrations).toMatchObject([{ provider: 'jenkins', deliveries: 2, failed: 0 }])
    expect(failing_jobs).toEqual([])
  })

  test('that do not exist are refused', async () => {
    await expect(run('deliveries', 'show', '999')).rejects.toThrow('not found')
    await expect(run('deliveries', 'replay', '999')).rejects.toThrow('not found')
    await expect(run('deliveries', 'test', '999')).rejects.toThrow('not found')
  })
})

describe('a new integration', () => {
  test.each(PROVIDERS)('of %s comes with its address, its token and its set-up', async (provider) => {
    const printed = await run('integration', 'add', '--project', '1', '--provider', provider)
    const token = /webhook_token +([0-9a-f]{64})/.exec(printed)![1]!
    expect(printed).toContain(`https://gold.example/webhooks/${provider}?token=${token}`)
    const [, guide] = printed.split('\n## ')
    expect(guide).toContain(token)
    expect(printed).toMatch(/“Here” is https:\/\/gold\.example\/projects\/1\/integrations\/\d+\./)
  })

  test('keeps what opens other servers sealed', async () => {
    const config = JSON.stringify({ server: 'https://ci.example.com', user: 'gold', api_token: 'hush' })
    const shown = await run('integration', 'config', integration(), config)
    expect(shown).toContain('https://ci.example.com')
    expect(shown).not.toContain('hush')
    const stored = await studio.db.rows(sql`select config::text from integrations where id = ${Number(integration())}`)
    expect(JSON.stringify(stored)).not.toContain('hush')
  })
})
