import { expect, test } from 'vitest'
import { axe } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'

const PASSWORD = 'a long enough password'
const world = {
  accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
  users: [
    { key: 'lead', email: 'lead@owl.example', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } },
    { key: 'kim', email: 'kim@owl.example', name: 'Kim Doe', accounts: { owl: 'member' } },
    { key: 'lee', email: 'lee@owl.example', name: 'Lee Ro', accounts: { owl: 'member' } },
    { key: 'ann', email: 'ann@owl.example', name: 'Ann Poe', accounts: { owl: 'member' } },
  ],
}
const USERS = `kdoe <kim@owl.example> (K. D.) accessed 2026/11/01
lee <lee@home.example> (L. R.) accessed 2026/11/01
apoe <> (Ann Poe) accessed 2026/11/01
builder <builder@owl.example> (Build machine) accessed 2026/11/01
`

describeWith('chromium')('people in a browser', () => {
  const { tab } = openVisit(world, 'lead@owl.example', PASSWORD)

  test('an owner matches a list of users, confirms proposals together and rejects a name', async () => {
    const { page } = tab()
    await tab().go('/settings/members')
    await page.getByRole('button', { name: 'Match a list of users' }).click()
    const dialog = page.getByRole('dialog', { name: 'Match a list of users' })
    await dialog.getByLabel('Tool', { exact: true }).selectOption('perforce')
    await dialog.getByLabel('Users of the tool').fill('nonsense')
    await dialog.getByRole('button', { name: 'Match' }).click()
    await dialog.getByText('Line 1: Paste the output of p4 users').waitFor()
    await dialog.getByLabel('Users of the tool').fill(USERS)
    await dialog.getByRole('button', { name: 'Match' }).click()
    await dialog.getByText('1 name connected by email address, 2 names to confirm. No member found for builder.').waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Close' }).click()

    const row = (uid: string) => page.getByRole('row').filter({ hasText: uid })
    await row('kdoe').getByText('Confirmed').waitFor()
    await row('apoe').getByText('Same name').waitFor()
    await page.getByRole('button', { name: 'Confirm all 2' }).click()
    await row('apoe').getByText('Confirmed by Lead').waitFor()
    await row('lee').getByText('Confirmed by Lead').waitFor()
    await row('kdoe').getByRole('button', { name: 'Reject kdoe' }).click()
    await row('kdoe').getByText('Rejected by Lead').waitFor()
    await row('kdoe').getByRole('button', { name: 'Confirm kdoe' }).waitFor()
    expect(await axe(page)).toEqual([])
  })
})
