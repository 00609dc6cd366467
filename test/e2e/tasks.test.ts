import { expect, test } from 'vitest'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall', members: { lead: 'owner' } }],
  tasks: [
    { key: 'moon', project: 'star', title: 'Moon is too bright', description: 'As it was' },
    { key: 'lamp', project: 'star', title: 'Lamp flickers', description: 'At night', state: 'blocked' },
  ],
  integrations: [{ key: 'jira', project: 'star', provider: 'jira' }],
}

describeWith('chromium')('the task board in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const board = () => `/projects/${studio().world.projects.star!.id}/tasks`
  const column = (name: string) => tab().page.getByRole('region', { name, exact: true })
  const stored = async (key: string) => {
    const answer = await tab().page.request.get(
      `${studio().service.site}/app/api/v1${board()}/${(studio().world.tasks[key] as { id: number }).id}`,
    )
    return answer.json()
  }

  test('moves a task to where it is dragged, and it stays there', async () => {
    await tab().go(board())
    const card = column('To do').getByRole('listitem').filter({ hasText: 'Moon is too bright' })
    await card.dragTo(column('In progress'))
    await column('In progress').getByText('Moon is too bright').waitFor()
    await expect.poll(async () => (await stored('moon')).state).toBe('in_progress')
    expect(await axe(tab().page)).toEqual([])
  })

  test('moves a task by keyboard and keeps the focus on it', async () => {
    await tab().go(board())
    await column('Blocked').getByRole('link', { name: /Lamp/ }).focus()
    await tab().page.keyboard.press('Shift+ArrowRight')
    await column('Completed').getByText('Lamp flickers').waitFor()
    await expect.poll(async () => (await stored('lamp')).state).toBe('completed')
    expect(await tab().page.evaluate(() => document.activeElement?.textContent)).toContain('Lamp flickers')
    await tab().page.keyboard.press('ArrowLeft')
    expect(await tab().page.evaluate(() => document.activeElement?.textContent)).toContain('Moon is too bright')
  })

  test("shows somebody else's concurrent edit and loses neither text", async () => {
    const { page } = tab()
    await tab().go(`${board()}/${(studio().world.tasks.moon as { id: number }).id}`)
    await page.getByRole('button', { name: /^Edit description/ }).click()
    await page.getByLabel('Description').fill('What I wrote for an hour')
    const { id } = await stored('moon')
    const other = await page.request.patch(`${studio().service.site}/app/api/v1${board()}/${id}`, {
      data: { task: { description: 'Somebody was faster' } },
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expect(other.status()).toBe(200)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody was faster').waitFor()
    await page.reload()
    await page.getByText('Somebody was faster').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('What I wrote for an hour')
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('region', { name: 'Description' }).getByText('What I wrote for an hour').waitFor()
    expect((await stored('moon')).description).toBe('What I wrote for an hour')
    await page.getByRole('list', { name: 'History' }).getByText('Lead changed the description').first().waitFor()
  })

  test('shows the tracker item that its text names, as soon as it does', async () => {
    const { page } = tab()
    const issue = {
      key: 'GAME-12',
      url: 'https://jira.example/browse/GAME-12',
      fields: { summary: 'Dim it', status: 'In Review' },
    }
    await studio().ask(`/webhooks/jira?token=${studio().world.integrations.jira!.webhook_token}`, { method: 'POST', body: issue })
    await tab().go(`${board()}/${(studio().world.tasks.lamp as { id: number }).id}`)
    const linked = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Links' }) })
    await linked.getByText('No links yet').waitFor()
    await page.getByRole('button', { name: /^Edit description/ }).click()
    await page.getByLabel('Description').fill('Like GAME-12')
    await page.getByRole('button', { name: 'Save' }).click()
    await linked.getByRole('link', { name: 'Jira GAME-12 Dim it' }).waitFor()
    expect(await linked.getByRole('listitem').textContent()).toContain('In Review')
    expect(await linked.getByRole('link').getAttribute('href')).toBe('https://jira.example/browse/GAME-12')
    expect(await axe(page)).toEqual([])
  })

  test('creates a task for an agent, and keeps the input when the dialog is closed', async () => {
    const { page } = tab()
    await tab().go(board())
    await column('To do').waitFor()
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await page.keyboard.press('c')
    await dialog.locator('input:focus').waitFor()
    await page.keyboard.type('Check the moon')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New task' }).click()
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Check the moon')
    await dialog.getByLabel('Assignee').selectOption({ label: 'Another agent…' })
    await dialog.getByLabel('Handle of the agent').fill('moon-bot')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Create task' }).click()
    await page.getByRole('button', { name: /^Edit title: Check the moon/ }).waitFor()
    expect(await page.getByLabel('Assignee').inputValue()).toBe('handle:moon-bot')
  })

  test('lists tasks to edit several at once, undoes a deletion, and saves the view under a name', async () => {
    const { page } = tab()
    await tab().go(`${board()}?layout=list`)
    await page.getByLabel('Search tasks').fill('moon')
    await page.waitForURL(/q=moon/)
    await page.getByRole('link', { name: /Lamp/ }).waitFor({ state: 'detached' })
    const rows = page.getByRole('checkbox', { name: /^Select task/ })
    for (const row of await rows.all()) await row.check()
    await page.getByLabel('Set priority').selectOption('high')
    const chosen = page.getByRole('region', { name: 'Selected tasks' })
    await chosen.waitFor({ state: 'detached' })
    expect((await stored('moon')).priority).toBe('high')
    await rows.first().check()
    await chosen.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText(/^Task #\d+ restored$/).waitFor()
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'View: Views' }).click()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('dialog', { name: 'Save view' }).getByLabel('Name').fill('About the moon')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'View: About the moon' }).waitFor()
    expect(await axe(page)).toEqual([])
    await tab().go(board())
    await page.getByRole('button', { name: 'View: Views' }).click()
    await page.getByRole('link', { name: 'About the moon' }).click()
    await page.waitForURL(/layout=list/)
    await rows.first().waitFor()
    expect(await page.getByLabel('Search tasks').inputValue()).toBe('moon')
  })

  test('shows who deleted a task at its URL, and restores it there', async () => {
    const { page } = tab()
    const path = `${board()}/${(studio().world.tasks.lamp as { id: number }).id}`
    await tab().go(path)
    await page.getByRole('button', { name: 'Delete task' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await tab().go(path)
    await page.getByText('Lead deleted it').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Restore' }).click()
    const history = page.getByRole('list', { name: 'History' })
    await history.getByText('Lead restored it').waitFor()
    await history.getByText('Lead deleted it').waitFor()
    tab().complaints.length = 0
  })

  test('opens dialogs that trap the focus and return it', async () => {
    const { page } = tab()
    await tab().go(board())
    tab().complaints.length = 0
    const opener = page.getByRole('button', { name: 'New task' })
    const dialog = page.getByRole('dialog', { name: 'New task' })
    const isOpener = () => opener.evaluate((element) => element === document.activeElement)
    await opener.click()
    expect(await dialog.getByLabel('Title').evaluate((element) => element === document.activeElement)).toBe(true)
    // Between the last and the first element is the browser's own toolbar, never the page behind.
    const behind: boolean[] = []
    for (let i = 0; i < 15; i++) {
      await page.keyboard.press('Tab')
      behind.push(
        await page.evaluate(() => document.activeElement !== document.body && !document.activeElement?.closest('dialog')),
      )
    }
    expect(behind).not.toContain(true)
    await dialog.getByLabel('Title').focus()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await isOpener()).toBe(true)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await isOpener()).toBe(true)
    expect(tab().complaints).toEqual([])
  })
})
