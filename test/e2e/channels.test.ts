import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChannelKind } from '../../src/contract/channels.ts'
import type { Lanes } from '../../src/jobs/lanes.ts'
import { startSender } from '../../src/jobs/sending/sender.ts'
import { allowedHosts } from '../../src/net/addresses.ts'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { type ChatVendors, openChatVendors } from '../support/servers/chat-vendors.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true, timezone: 'Europe/Berlin' }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } },
    { key: 'moon', account: 'owl', name: 'Moonrise', members: { lead: 'owner' } },
  ],
}

describeWith('chromium')('chat channels in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const page = () => tab().page
  const card = (name: string) => page().getByRole('article', { name })

  let vendors: ChatVendors
  let node: Lanes
  beforeAll(async () => {
    vendors = await openChatVendors()
    const { db, service } = studio()
    const slackApi = vendors.destination('slack', 'C0ANY').api!
    node = startSender({ ...service, db, allowed: allowedHosts(['127.0.0.1']), slackApi })
  })
  afterAll(async () => {
    await node?.stop()
    await vendors?.close()
  })

  async function make(kind: Exclude<ChannelKind, 'slack'>, room: string, told = 'All projects') {
    await tab().go('/settings/channels')
    await page().getByRole('button', { name: 'New channel' }).click()
    await page().getByLabel('Chat service').selectOption(kind)
    await page().getByLabel('Name').fill(room)
    await page().getByLabel('Webhook URL').fill(vendors.destination(kind, room).secret)
    await page().getByLabel('Breakages of').selectOption(told)
    await page().getByRole('button', { name: 'Create channel' }).click()
    await card(room).waitFor()
  }
  const opened = async (room: string) => {
    await card(room).getByRole('table').getByRole('button', { name: 'Test message' }).click()
    return page().getByRole('dialog')
  }

  test('a bot is created by following its guide, and its token is never shown again', async () => {
    await tab().go('/settings/channels')
    await page().getByText('No channels yet').waitFor()
    await page().getByRole('button', { name: 'New channel' }).click()
    for (const scope of ['chat:write', 'chat:write.public', 'channels:history', 'users:read', 'users:read.email'])
      await page().getByText(scope).first().waitFor()
    await page().getByLabel('Name').fill('#builds')
    await page().getByLabel('Bot token').fill('not a token')
    await page().getByLabel('Channel ID').fill('C024BE91L')
    expect(await axe(page())).toEqual([])
    await page().getByRole('button', { name: 'Create channel' }).click()
    await page().getByText('must be a bot token').waitFor()
    await page().getByLabel('Bot token').fill(vendors.destination('slack', 'C024BE91L').secret)
    await page().getByRole('button', { name: 'Create channel' }).click()
    await card('#builds').getByText('C024BE91L').waitFor()
    expect(await card('#builds').getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Moonrise: Breakages'),
      expect.stringContaining('Starfall: Breakages'),
    ])
    expect(await page().content()).not.toContain('xoxb-stand-in')
    await card('#builds').getByRole('button', { name: 'Edit', exact: true }).click()
    await page().getByLabel('Name').fill('#night')
    expect(await page().getByLabel('Bot token').inputValue()).toBe('')
    await page().getByRole('button', { name: 'Save' }).click()
    await card('#night').waitFor()
  })

  test('rules are added, edited and removed, each with the filters of its subject', async () => {
    await make('discord', 'rules', 'No project (add rules later)')
    await card('rules').getByText('No rules yet.').waitFor()
    await card('rules').getByRole('button', { name: 'Add rule' }).click()
    const dialog = page().getByRole('dialog')
    await dialog.getByLabel('Project').selectOption('Starfall')
    await dialog.getByLabel('Branch').fill('release-*')
    await dialog.getByLabel('Job').fill('Cook*')
    await dialog.getByLabel('Category').selectOption('Compile error')
    await dialog.getByLabel('Ping @here').check()
    await dialog.getByLabel('Quiet hours').check()
    await dialog.getByText('Europe/Berlin').waitFor()
    await dialog.getByLabel('From').fill('22:30')
    await dialog.getByLabel('Until').fill('07:00')
    expect(await axe(page())).toEqual([])
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    const rule = card('rules').getByRole('listitem')
    await rule
      .getByText('Breakages, on release-*, job Cook*, category compile error, pings @here, quiet from 22:30 to 07:00')
      .first()
      .waitFor()

    await rule.getByRole('button', { name: /^Edit/ }).click()
    await dialog.getByLabel('Event').selectOption('last_known_good')
    await expect.poll(() => dialog.getByLabel('Job').count()).toBe(0)
    await dialog.getByLabel('Older than (hours)').fill('36')
    await dialog.getByLabel('Quiet hours').uncheck()
    await dialog.getByLabel('Ping @here').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await rule.getByText('Branches with an old last known good, on release-*, older than 36 hours').first().waitFor()
    await rule.getByRole('button', { name: /^Remove/ }).click()
    await card('rules').getByText('No rules yet.').waitFor()
  })

  test('a test message is followed until it is sent, and is in the log', async () => {
    await make('discord', 'tests')
    await card('tests').getByRole('button', { name: 'Send test message' }).click()
    await card('tests').getByText('Test message sent').waitFor()
    expect(vendors.messages('discord', 'tests')).toHaveLength(1)
    await card('tests').getByText('Log').click()
    const dialog = await opened('tests')
    await dialog.getByText(/Post: 200 after \d+ ms/).waitFor()
    await dialog.getByRole('link', { name: 'Test message' }).waitFor()
    expect(await axe(page())).toEqual([])
  })

  test('a test message that cannot be sent now shows why, and is retried', async () => {
    await make('teams', 'later')
    // Twice: after the first the message is retried at once, which a page may not have polled in between.
    vendors.inject('later', '503', '503')
    await card('later').getByRole('button', { name: 'Send test message' }).click()
    await card('later').getByText('Not sent yet. Retrying: The chat service answered HTTP 503.').waitFor()
    await card('later').getByText('Test message sent').waitFor()
  })

  test('a message that may have arrived is sent again only after a warning', async () => {
    await make('mattermost', 'unsure')
    vendors.inject('unsure', 'reset after')
    await card('unsure').getByRole('button', { name: 'Send test message' }).click()
    await card('unsure').getByText('can’t tell whether the test message arrived').waitFor()
    await card('unsure').getByText('Log').click()
    await card('unsure').getByLabel('Status').selectOption('uncertain')
    const dialog = await opened('unsure')
    await dialog.getByText('it may appear twice').waitFor()
    expect(vendors.messages('mattermost', 'unsure')).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Send again anyway' }).click()
    await expect.poll(() => vendors.messages('mattermost', 'unsure')).toHaveLength(2)
    await dialog.getByText('Sent', { exact: true }).waitFor()
  })

  test('a disabled channel shows what to do, and works again with a new secret', async () => {
    await make('discord', 'gone')
    vendors.remove('discord', 'gone')
    await card('gone').getByRole('button', { name: 'Send test message' }).click()
    await card('gone').getByText('Create a new webhook').first().waitFor()
    await page().reload()
    await card('gone').getByText('Create a new webhook').waitFor()
    await card('gone').getByText('1 message pending').waitFor()
    expect(await card('gone').getByRole('button', { name: 'Send test message' }).isDisabled()).toBe(true)
    expect(await axe(page())).toEqual([])
    await card('gone').getByRole('button', { name: 'Edit', exact: true }).click()
    await page().getByLabel('Webhook URL').fill(vendors.destination('discord', 'found').secret)
    await page().getByRole('button', { name: 'Save' }).click()
    await card('gone').getByText('active').waitFor()
    await expect.poll(() => vendors.messages('discord', 'found')).toHaveLength(1)
  })

  test('a channel is paused, resumed and removed', async () => {
    await make('teams', 'brief')
    await card('brief').getByRole('button', { name: 'Pause' }).click()
    await card('brief').getByText('New events are not sent').waitFor()
    await card('brief').getByRole('button', { name: 'Resume' }).click()
    await card('brief').getByRole('button', { name: 'Pause' }).waitFor()
    await card('brief').getByRole('button', { name: 'Remove', exact: true }).click()
    await page().getByRole('button', { name: 'Remove it' }).click()
    await card('brief').waitFor({ state: 'detached' })
    // The browser logs a refused form.
    expect(tab().complaints.filter((one) => !one.includes('422'))).toEqual([])
  })
})
