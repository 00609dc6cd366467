import { expect, test } from 'vitest'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { advanceClock, resetClock } from '../support/clock.ts'
import { describeWith } from '../support/skippable.ts'
import { workshop } from '../support/studios/workshop.ts'

const PASSWORD = 'a long enough password'
const NAMES = ['T_Moon.png', 'T_Rock.png', 'T_Tree.png', 'T_Lake.png', 'T_Hill.png']
const UNDONE = ['T_One.png', 'T_Two.png']
const MANY = Array.from({ length: 31 }, (_, i) => `T_Many_${String(i).padStart(2, '0')}.png`)
const LONG = `T_${'AndOn'.repeat(30)}.png`
const world = {
  ...workshop,
  users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
  projects: [
    ...workshop.projects,
    { key: 'undone', account: 'owl', name: 'Undone', members: { lead: 'owner' } },
    { key: 'many', account: 'owl', name: 'Many', members: { lead: 'owner' } },
    { key: 'ruled', account: 'owl', name: 'Ruled', members: { lead: 'owner' }, approval_rules: [] },
  ],
  changes: [
    {
      project: 'ruled',
      identifier: '4711',
      source_type: 'Changelist',
      author: 'Mia Sol',
      timestamp: new Date().toISOString(),
      files: [
        { path: 'Content/Art/T_Sky.png', action: 'edit' },
        { path: 'Content/Maps/L_Sky.umap', action: 'edit' },
      ],
    },
  ],
  assets: [...NAMES, LONG, ...UNDONE, ...MANY].map((name, i) => ({
    key: name,
    project: name === LONG ? 'moon' : UNDONE.includes(name) ? 'undone' : MANY.includes(name) ? 'many' : 'star',
    name,
    path: `Content/${name}`,
    asset_type: 'texture',
    approvals: [{ status: 'pending', stage: 'review', created_at: new Date(Date.UTC(2026, 0, 60 - i)).toISOString() }],
  })),
}

describeWith('chromium')('the approval queue in a browser', () => {
  const { studio, tab } = openVisit(world, 'lead@example.com', PASSWORD)

  const project = () => `/projects/${studio().world.projects!.star!.id}`
  const decided = async (status: string) => {
    const { json } = await studio().ask(`/api/v1${project()}/approvals?status=${status}`, {
      token: studio().world.tokens!.lead!.token as string,
    })
    return json.approvals as { asset_name: string; comments: string; approval_stage: string }[]
  }

  test('fits a phone, however long names and texts are', async () => {
    const { page } = tab()
    await page.setViewportSize({ width: 390, height: 844 })
    await tab().go(`/projects/${studio().world.projects!.moon!.id}/approvals`)
    const queue = page.getByRole('list', { name: 'Waiting for approval' })
    await page.getByRole('textbox', { name: 'Comment on' }).waitFor()
    // Content that the frame of the list cuts off cannot be scrolled to.
    expect(await queue.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  test('is worked through by keyboard: moving, commenting, deciding one by one and several at once', async () => {
    const { page } = tab()
    await tab().go(`${project()}/approvals`)
    const queue = page.getByRole('list', { name: 'Waiting for approval' })
    await queue.getByText('T_Moon.png').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('a')
    await page.getByText('T_Moon.png approved').waitFor()
    await page.keyboard.press('j')
    // A denial needs a reason: the comment asks for one.
    await page.keyboard.press('d')
    await page.getByRole('alert').getByText('Enter a reason for denying T_Tree.png').waitFor()
    expect(await axe(page)).toEqual([])
    expect(await decided('denied')).toEqual([])
    await page.keyboard.type('adjust the seams')
    await page.keyboard.press('Control+Enter')
    await page.getByText('T_Tree.png denied').waitFor()
    await page.keyboard.press('k')
    await page.keyboard.press('i')
    await page.getByText('T_Rock.png ignored').waitFor()
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('2 selected', { exact: true }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('a')
    await page.getByText('2 assets approved').waitFor()
    await page.getByText('Nothing to approve').waitFor()
    expect(await decided('denied')).toMatchObject([
      { asset_name: 'T_Tree.png', comments: 'adjust the seams', approval_stage: 'review' },
    ])
    expect(await decided('ignored')).toMatchObject([{ asset_name: 'T_Rock.png' }])
    expect((await decided('approved')).map((one) => [one.asset_name, one.approval_stage])).toEqual([
      ['T_Moon.png', 'review'],
      ['T_Lake.png', 'bulk_approval'],
      ['T_Hill.png', 'bulk_approval'],
    ])
    expect(tab().complaints).toEqual([])
  })

  test('leaves every asset where the grid finds it by its status', async () => {
    const { page } = tab()
    await tab().go(`${project()}/assets`)
    await page.getByLabel('Approval', { exact: true }).selectOption('denied')
    await page.getByRole('link', { name: 'T_Moon.png' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'T_Tree.png' }).click()
    await page.getByRole('list', { name: 'Approvals, newest first' }).getByText('adjust the seams').waitFor()
    expect(await axe(page)).toEqual([])
  })

  test('is found by the palette, as is an asset by a part of its name', async () => {
    const { page } = tab()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Search or go to' })
    // The field already has the focus: typing continues there.
    await box.waitFor()
    await page.keyboard.type('t_hill')
    const options = page.getByRole('listbox').getByRole('option')
    await options.filter({ hasText: 'T_Hill.png' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'T_Hill.png' }).waitFor()
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await page.keyboard.type('approvals')
    await options.first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Approvals' }).waitFor()
    expect(tab().complaints).toEqual([])
  })

  test('is used through the palette, which also runs actions; g and a letter navigate, ? lists all keys', async () => {
    const { page } = tab()
    const type = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
      await page.keyboard.type(text)
    }
    await type('approve t_rock')
    const group = page.getByRole('group', { name: 'Do' })
    await group.getByRole('option', { name: 'Approve T_Rock.png' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('T_Rock.png approved').waitFor()
    expect((await decided('approved')).map(({ asset_name }) => asset_name)).toContain('T_Rock.png')
    await type('dark theme')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')
    await type('system theme')
    await page.keyboard.press('Enter')
    await type('new task')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New task' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'New task' }).waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('next error').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    for (const [key, heading] of [
      ['b', 'Builds'],
      ['t', 'Tasks'],
    ] as const) {
      await page.keyboard.press('g')
      await page.keyboard.press(key)
      await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    }
    expect(tab().complaints).toEqual([])
  })

  test('undoes a decision by key and by button, one and several', async () => {
    const { page } = tab()
    // On a slow machine too, a decision made now is only a moment old.
    await advanceClock(studio().db, '-1 hour')
    await tab().go(`/projects/${studio().world.projects!.undone!.id}/approvals`)
    const queue = page.getByRole('list', { name: 'Waiting for approval' })
    await queue.getByText('T_One.png').first().waitFor()
    await page.keyboard.press('a')
    await page.getByText('T_One.png approved').waitFor()
    const undo = page.getByRole('button', { name: 'Undo: T_One.png approved' })
    await undo.focus()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByText('T_One.png: waiting for approval again').waitFor()
    await queue.getByText('T_One.png').first().waitFor()
    await page.getByRole('button', { name: 'Select all 2 shown' }).click()
    await page.keyboard.press('a')
    await page.getByText('2 assets approved').waitFor()
    await page.keyboard.press('z')
    await page.getByText('2 assets: waiting for approval again').waitFor()
    await queue.getByText('T_Two.png').first().waitFor()
    await resetClock(studio().db)
  })

  test('takes 30 decisions by keys alone, with a range and an undo, in the grid and the filmstrip', async () => {
    const { page } = tab()
    await advanceClock(studio().db, '-1 hour')
    const place = `/projects/${studio().world.projects!.many!.id}`
    await tab().go(`${place}/approvals`)
    const waiting = async () =>
      (
        await studio().ask(`/api/v1${place}/approvals?status=pending&limit=50`, {
          token: studio().world.tokens!.lead!.token as string,
        })
      ).json.approvals.length
    const first = page.getByRole('button', { name: 'T_Many_00.png' }).first()
    await first.getByText('No preview', { exact: true }).waitFor()
    for (let i = 0; i < 30; i++) {
      const name = `T_Many_${String(i).padStart(2, '0')}.png`
      await page.getByText(`${name}, 1 of ${31 - i}`, { exact: true }).waitFor({ state: 'attached' })
      const key = ['a', 'd', 'i'][i % 3]!
      await page.keyboard.press(key)
      if (key === 'd') {
        await page.keyboard.type('too dark')
        await page.keyboard.press('Control+Enter')
      }
      await page.getByText(`${name} ${['approved', 'denied', 'ignored'][i % 3]}`).waitFor()
    }
    expect(await waiting()).toBe(1)
    const denied = await studio().ask(`/api/v1${place}/approvals?status=denied&limit=50`, {
      token: studio().world.tokens!.lead!.token as string,
    })
    expect(denied.json.approvals.map(({ comments }: { comments: string }) => comments)).toEqual(Array(10).fill('too dark'))
    await page.keyboard.press('z')
    await page.getByText('T_Many_29.png: waiting for approval again').waitFor()
    await page.getByText('T_Many_29.png, 1 of 2', { exact: true }).waitFor({ state: 'attached' })
    expect(await waiting()).toBe(2)
    await page.keyboard.press('Shift+J')
    await page.getByText('2 selected', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('button', { name: 'Filmstrip' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Filmstrip', pressed: true }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('a')
    await page.getByText('T_Many_29.png approved').waitFor()
    expect(await waiting()).toBe(1)
    await page.getByRole('button', { name: 'Filmstrip' }).click()
    await resetClock(studio().db)
    expect(tab().complaints).toEqual([])
  })

  test("follows the project's rules, whose preview shows what they would have matched", async () => {
    const { page } = tab()
    await tab().go(`/projects/${studio().world.projects!.ruled!.id}/approvals`)
    await page.getByText('No approval rules yet').waitFor()
    await page.getByRole('link', { name: 'Add approval rules' }).click()
    const rules = page.locator('section', { has: page.getByRole('heading', { name: 'Approval rules' }) })
    await rules.getByText('No asset needs approval').waitFor()
    await rules.getByRole('button', { name: 'Add rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New approval rule' })
    await dialog.getByLabel('Path').fill('Content/Art/*')
    await dialog.getByLabel('texture').check()
    await dialog.getByLabel('Author').fill('Mia*')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('1 asset in 1 change would have needed approval in the last 30 days').waitFor()
    await dialog.getByText('Content/Art/T_Sky.png').waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add rule' }).click()
    await rules.getByText('Textures in Content/Art/* by Mia*').first().waitFor()
    await rules.getByRole('button', { name: 'Use the default rule' }).click()
    await rules.getByText('This is the default rule.').waitFor()
    await rules.getByRole('button', { name: 'Remove' }).click()
    await rules.getByText('No approval rules yet').waitFor()
    expect(await axe(page)).toEqual([])
  })
})
