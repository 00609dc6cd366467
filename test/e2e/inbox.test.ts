import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import { unsubscribeUrl } from '../../src/domain/inbox/unsubscribe.ts'
import type { Lanes } from '../../src/jobs/lanes.ts'
import { startSender } from '../../src/jobs/sending/sender.ts'
import { allowedHosts } from '../../src/net/addresses.ts'
import { axe, openTab } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const person = (key: string, name: string) => ({
  key,
  email: `${key}@example.com`,
  name,
  password: PASSWORD,
  accounts: { owl: 'owner' },
})
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [person('lead', 'Lead'), person('ann', 'Ann')],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
}

describeWith('chromium')('the inbox in a browser', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const page = () => tab().page
  const id = (kind: string, key: string) => Number(studio().world[kind as 'users']![key]!.id)
  const items = () => page().getByRole('list', { name: 'Notifications, newest first' }).getByRole('listitem')
  const bell = () =>
    page()
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Inbox/ })

  let node: Lanes
  beforeAll(() => {
    const { db, service } = studio()
    node = startSender({ ...service, db, allowed: allowedHosts([]) })
  })
  afterAll(() => node?.stop())

  /** A task that Ann assigns to Lead. */
  const give = async (title: string) =>
    (await studio().db.one<{ id: number }>(sql`
      insert into tasks (account_id, project_id, title, user_id, created_by_user_id)
      values (${id('accounts', 'owl')}, ${id('projects', 'star')}, ${title}, ${id('users', 'lead')}, ${id('users', 'ann')})
      returning id`))!.id

  test('is empty at first, and updates live', async () => {
    await tab().go('/inbox')
    await page().getByText('You’re all caught up').waitFor()
    await page().getByRole('button', { name: 'Show read notifications' }).click()
    await page().getByText('No notifications yet').waitFor()
    await tab().go('/inbox')
    await page().getByText('You’re all caught up').waitFor()
    await give('Paint the moon')
    await items().getByText('Paint the moon').first().waitFor()
    await bell().getByText('1 unread').waitFor()
    expect(await axe(page())).toEqual([])
  })

  test('marks opened entries as read', async () => {
    await tab().go('/inbox')
    await page()
      .getByRole('link', { name: /Paint the moon/ })
      .click()
    await page()
      .getByRole('heading', { name: /Paint the moon/ })
      .waitFor()
    await bell().getByText('unread').waitFor({ state: 'detached' })
    await tab().go('/inbox?show=all')
    await page()
      .getByRole('button', { name: /Mark unread .*Paint the moon/ })
      .waitFor()
  })

  test('is operated by keys', async () => {
    const second = await give('Second task')
    await give('Third task')
    await tab().go('/feed')
    await page().getByRole('heading', { name: 'Feed' }).waitFor()
    await page().keyboard.press('g')
    await page().keyboard.press('i')
    await page().getByRole('heading', { name: 'Inbox' }).waitFor()
    await page()
      .getByRole('link', { name: /Third task/ })
      .waitFor()
    await page().keyboard.press('e')
    await page()
      .getByRole('link', { name: /Third task/ })
      .waitFor({ state: 'detached' })
    await give('Fourth task')
    await page()
      .getByRole('link', { name: /Fourth task/ })
      .waitFor()
    await page().keyboard.press('j')
    await page().locator('[aria-current="true"]').getByText('Second task').first().waitFor()
    await page().keyboard.press('k')
    await page().locator('[aria-current="true"]').getByText('Fourth task').first().waitFor()
    await page().keyboard.press('j')
    await page().keyboard.press('Enter')
    await page().waitForURL(`**/tasks/${second}`)
    await bell().getByText('1 unread').waitFor()
  })

  test('can be marked as read as a whole', async () => {
    await give('Fifth task')
    await tab().go('/inbox')
    await items().getByText('Fifth task').first().waitFor()
    await page().getByRole('button', { name: 'Mark all as read' }).click()
    await page().getByText('You’re all caught up').waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('a key after g is not handled by pages: approvals do not take it as a decision', async () => {
    await tab().go(`/projects/${id('projects', 'star')}/approvals`)
    await page().getByText('Nothing to approve').waitFor()
    await page().keyboard.press('g')
    await page().keyboard.press('x')
    await page().keyboard.press('i')
    expect(page().url()).toContain('/approvals')
  })

  describe('notification preferences', () => {
    const box = (name: string) => page().getByRole('checkbox', { name })
    const kept = () =>
      page()
        .request.get(`${studio().service.site}/app/api/v1/me/preferences`)
        .then((response) => response.json())

    test('are saved with one click each, also several in a row', async () => {
      await tab().go('/settings/notifications')
      await page().getByText('This service can’t send email').waitFor()
      expect(await box('A task is assigned to me: By email').isChecked()).toBe(true)
      await box('A task is assigned to me: By email').click()
      await box('A task is assigned to me: In chat').click()
      await box('Email me a daily digest').click()
      await page().getByLabel('Your time zone').selectOption('Asia/Tokyo')
      await expect.poll(kept).toMatchObject({
        kinds: expect.arrayContaining([{ kind: 'task', in_app: true, mail: false, chat: true }]),
        daily_digest: true,
        timezone: 'Asia/Tokyo',
      })
      expect(await axe(page())).toEqual([])
      await page().reload()
      expect(await box('A task is assigned to me: By email').isChecked()).toBe(false)
    })

    test("offer the browser's own time zone", async () => {
      const other = await openTab(browser(), studio().service.site, {
        timezoneId: 'Asia/Kolkata',
        storageState: await tab().context.storageState(),
      })
      await other.go('/settings/notifications')
      await other.page.getByRole('button', { name: /Use browser time zone: Asia\/(Kolkata|Calcutta)/ }).click()
      await expect.poll(async () => (await kept()).timezone).toMatch(/^Asia\/(Kolkata|Calcutta)$/)
      expect(other.complaints).toEqual([])
      await other.context.close()
    })

    test("show one's chat id among the connected accounts", async () => {
      await tab().go('/settings/notifications')
      await page().locator('main').getByRole('link', { name: 'Connected accounts' }).click()
      for (const chat of ['Discord', 'Microsoft Teams', 'Mattermost', 'Rocket.Chat', 'Slack'])
        await page().getByLabel('Tool', { exact: true }).selectOption(chat)
      await page().getByText('Copy member ID').waitFor()
      await page().getByLabel('Name in the tool').fill('U012AB3CD')
      await page().getByRole('button', { name: 'Add', exact: true }).click()
      await page().getByRole('cell', { name: 'Slack' }).waitFor()
    })
  })

  test('the unsubscribe link of an email works with one click, signed out', async () => {
    const { service, db } = studio()
    const url = new URL(unsubscribeUrl(service.vault, service.site, id('users', 'ann'), 'suspected'))
    const stranger = await openTab(browser(), service.site)
    await stranger.go(`${url.pathname}${url.search}`)
    await stranger.page.getByText('My change is suspected of breaking a build').waitFor()
    const mailed = () =>
      db.rows(sql`select from notification_preferences where user_id = ${id('users', 'ann')} and kind = 'suspected' and not mail`)
    expect(await mailed()).toEqual([])
    expect(await axe(stranger.page)).toEqual([])
    await stranger.page.getByRole('button', { name: 'Stop these emails' }).click()
    await stranger.page.getByText('is no longer emailed to you').waitFor()
    expect(await mailed()).toHaveLength(1)
    expect(stranger.complaints).toEqual([])
    await stranger.go('/unsubscribe?token=x')
    await stranger.page.getByText('This link is incomplete').waitFor()
    await stranger.context.close()
  })
})
