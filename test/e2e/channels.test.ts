import { describe, expect, test } from 'vitest'
import * as queue from '../../src/domain/channels/message-queue.ts'
import { axe, hasBrowser } from '../support/browser.ts'
import { openVisit } from '../support/visit.ts'

const PASSWORD = 'a long enough password'
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, timezone: 'Europe/Berlin' }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } },
    { key: 'moon', account: 'owl', name: 'Moonrise', members: { lead: 'owner' } },
  ],
}

describe.runIf(hasBrowser)('chat channels in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const page = () => tab().page
  const card = (name: string) => page().getByRole('article', { name })

  /** Takes what waits for the channel called so, as a node that sends does. */
  async function taken(name: string) {
    const { db, service, ask: _, ...rest } = studio()
    const { json } = await api(`/accounts/${rest.world.accounts.owl!.id}/channels`)
    const channel = json.channels.find((one: { name: string }) => one.name === name)
    await expect.poll(() => queue.head(db, service.vault, channel.id)).toBeDefined()
    const head = (await queue.head(db, service.vault, channel.id))!
    await queue.begin(db, head, 0)
    return { db, head }
  }
  const api = async (path: string) => {
    const response = await page().request.get(`${studio().service.site}/app/api/v1${path}`)
    return { json: await response.json() }
  }

  async function make(kind: string, name: string, fields: Record<string, string>, told = 'All projects') {
    await tab().go('/settings/channels')
    await page().getByRole('button', { name: 'New channel' }).click()
    await page().getByLabel('Where').selectOption(kind)
    await page().getByLabel('Name').fill(name)
    for (const [label, value] of Object.entries(fields)) await page().getByLabel(label).fill(value)
    await page().getByLabel('Tell it what breaks in').selectOption(told)
    await page().getByRole('button', { name: 'Make the channel' }).click()
    await card(name).waitFor()
  }

  test('a bot is made with what its guide asks for, and its token is never shown again', async () => {
    await tab().go('/settings/channels')
    await page().getByText('No room is told anything yet').waitFor()
    await page().getByRole('button', { name: 'New channel' }).click()
    for (const scope of ['chat:write', 'chat:write.public', 'channels:history', 'users:read', 'users:read.email'])
      await page().getByText(scope).first().waitFor()
    await page().getByLabel('Name').fill('#builds')
    await page().getByLabel('Bot token').fill('not a token')
    await page().getByLabel('Channel id').fill('C024BE91L')
    expect(await axe(page())).toEqual([])
    await page().getByRole('button', { name: 'Make the channel' }).click()
    await page().getByText('must be a bot token').waitFor()
    await page().getByLabel('Bot token').fill('xoxb-1234567890')
    await page().getByRole('button', { name: 'Make the channel' }).click()
    await card('#builds').getByText('C024BE91L').waitFor()
    expect(await card('#builds').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Moonrise: What breaks'),
      expect.stringContaining('Starfall: What breaks'),
    ])
    expect(await page().content()).not.toContain('xoxb-1234567890')
    await card('#builds').getByRole('button', { name: 'Change', exact: true }).click()
    await page().getByLabel('Name').fill('#night')
    expect(await page().getByLabel('Bot token').inputValue()).toBe('')
    await page().getByRole('button', { name: 'Save' }).click()
    await card('#night').waitFor()
  })

  test('rules are added, changed and removed, each with what its subject can be narrowed by', async () => {
    await make('discord', 'rules', { 'Address of the webhook': 'https://discord.com/api/webhooks/1/x' }, 'No project yet')
    await card('rules').getByText('Without a rule nothing is told here.').waitFor()
    await card('rules').getByRole('button', { name: 'Add a rule' }).click()
    const dialog = page().getByRole('dialog')
    await dialog.getByLabel('Project').selectOption('Starfall')
    await dialog.getByLabel('Branch').fill('release-*')
    await dialog.getByLabel('Job').fill('Cook*')
    await dialog.getByLabel('Category').selectOption('compile error')
    await dialog.getByLabel('Ping @here').check()
    await dialog.getByLabel('Quiet hours').check()
    await dialog.getByText('Europe/Berlin').waitFor()
    await dialog.getByLabel('From').fill('22:30')
    await dialog.getByLabel('Until').fill('07:00')
    expect(await axe(page())).toEqual([])
    await dialog.getByRole('button', { name: 'Add the rule' }).click()
    const rule = card('rules').getByRole('listitem')
    await rule
      .getByText('What breaks, on release-*, in Cook*, only compile error, pings @here, waits from 22:30 to 07:00')
      .first()
      .waitFor()

    await rule.getByRole('button', { name: /^Change/ }).click()
    await dialog.getByLabel('Tell it of').selectOption('last_known_good')
    expect(await dialog.getByLabel('Job').count()).toBe(0)
    await dialog.getByLabel('Older than, in hours').fill('36')
    await dialog.getByLabel('Quiet hours').uncheck()
    await dialog.getByLabel('Ping @here').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await rule.getByText('A last known good change that is too old, on release-*, after 36 hours').first().waitFor()
    await rule.getByRole('button', { name: /^Remove/ }).click()
    await card('rules').getByText('Without a rule nothing is told here.').waitFor()
  })

  test('a test message is followed until it is sent, and stands in the log', async () => {
    await make('discord', 'tests', { 'Address of the webhook': 'https://discord.com/api/webhooks/2/x' })
    await card('tests').getByRole('button', { name: 'Send a test message' }).click()
    await card('tests').getByText('The test message is on its way…').waitFor()
    const { db, head } = await taken('tests')
    await queue.log(db, head, {
      deed: 'post',
      at: new Date(),
      milliseconds: 71,
      status: 200,
      error: '',
      response: '{"id":"1"}',
    })
    await queue.recordSent(db, head, '1')
    await card('tests').getByText('The test message was sent').waitFor()
    await card('tests').getByText('Log').click()
    await card('tests').getByRole('table').getByRole('button', { name: 'Test message' }).click()
    const dialog = page().getByRole('dialog')
    await dialog.getByText('after 71 ms').waitFor()
    await dialog.getByRole('link', { name: 'This is a test' }).waitFor()
    expect(await axe(page())).toEqual([])
  })

  test('a message that may have arrived is sent again only after a warning', async () => {
    await make('mattermost', 'unsure', { 'Address of the webhook': 'https://chat.example.com/hooks/x' })
    await card('unsure').getByRole('button', { name: 'Send a test message' }).click()
    const { db, head } = await taken('unsure')
    await queue.recordEnd(db, head, 'uncertain', 'The line broke before an answer came.')
    await card('unsure').getByText('Nobody knows whether the test message arrived').waitFor()
    await card('unsure').getByText('Log').click()
    await card('unsure').getByLabel('Status').selectOption('uncertain')
    await card('unsure')
      .getByRole('table')
      .getByRole('button', { name: /^Test message/ })
      .click()
    const dialog = page().getByRole('dialog')
    await dialog.getByText('it may stand there twice').waitFor()
    await dialog.getByRole('button', { name: 'Send again anyway' }).click()
    await dialog.getByText('waiting').waitFor()
    expect((await taken('unsure')).head.id).toBe(head.id)
  })

  test('a channel that was switched off says what to do, and works again with a new secret', async () => {
    await make('discord', 'gone', { 'Address of the webhook': 'https://discord.com/api/webhooks/3/x' })
    await card('gone').getByRole('button', { name: 'Send a test message' }).click()
    const { db, head } = await taken('gone')
    await queue.recordGone(db, head, 'The webhook was deleted. Make a new webhook in the settings of the channel.')
    await page().reload()
    await card('gone').getByText('Make a new webhook in the settings of the channel.').waitFor()
    await card('gone').getByText('1 message waits').waitFor()
    expect(await card('gone').getByRole('button', { name: 'Send a test message' }).isDisabled()).toBe(true)
    expect(await axe(page())).toEqual([])
    await card('gone').getByRole('button', { name: 'Change', exact: true }).click()
    await page().getByLabel('Address of the webhook').fill('https://discord.com/api/webhooks/4/y')
    await page().getByRole('button', { name: 'Save' }).click()
    await card('gone').getByText('active').waitFor()
  })

  test('a channel is paused, resumed and removed', async () => {
    await make('teams', 'brief', { 'Address of the webhook': 'https://example.logic.azure.com/workflows/x' })
    await card('brief').getByRole('button', { name: 'Pause' }).click()
    await card('brief').getByText('Paused: it hears nothing').waitFor()
    await card('brief').getByRole('button', { name: 'Resume' }).click()
    await card('brief').getByRole('button', { name: 'Pause' }).waitFor()
    await card('brief').getByRole('button', { name: 'Remove', exact: true }).click()
    await page().getByRole('button', { name: 'Remove it' }).click()
    await card('brief').waitFor({ state: 'detached' })
    // A refused form is noted by the browser.
    expect(tab().complaints.filter((one) => !one.includes('422'))).toEqual([])
  })
})
