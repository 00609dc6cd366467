import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { sql } from '../../src/db/database.ts'
import * as streams from '../../src/domain/sending/audit-streams.ts'
import { axe, openTab, signInAs } from '../support/callers/browser.ts'
import { openVisit } from '../support/callers/visit.ts'
import { describeWith } from '../support/skippable.ts'
import { nightOwl } from '../support/studios/night-owl.ts'

const PASSWORD = 'a long enough password'
const world = {
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, password: PASSWORD })),
  integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
}

describeWith('chromium')('settings in a browser', () => {
  const { studio, browser, tab } = openVisit(world, 'lead@example.com', PASSWORD)
  const project = () => `/projects/${studio().world.projects.star!.id}`

  test('operators see the status of the service and what to do next; for everybody else the page does not exist', async () => {
    const { page } = tab()
    await tab().go('/settings/service')
    await page.getByText('Page not found').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Service status' }).count()).toBe(0)
    await studio().db.execute(sql`update users set operator = true where email = 'lead@example.com'`)
    await studio().db.execute(sql`
      insert into backups (place, name, status, error) values ('/mnt/backups', 'monday.backup.age', 'failed', 'The disk is full.')`)
    try {
      await tab().go('/settings/service')
      await page.getByRole('link', { name: 'Backups' }).click()
      const backups = page.locator('section', { has: page.getByRole('heading', { name: 'Backups' }) })
      await backups.getByText('The last backup failed: The disk is full.').waitFor()
      await backups.getByText(/Check the passphrase, the free space and the access to \/mnt\/backups/).waitFor()
      expect(await axe(page)).toEqual([])
    } finally {
      await studio().db.execute(sql`update users set operator = false where email = 'lead@example.com'`)
    }
  })

  test('a test delivery is logged, shown in full and replayed', async () => {
    const { page } = tab()
    await tab().go(`${project()}/integrations`)
    await page.getByRole('link', { name: /Jenkins/ }).click()
    await page.getByText(/^Only tools on the same machine can reach http:\/\/localhost/).waitFor()
    await page.getByRole('button', { name: 'Send test delivery' }).click()
    await page.getByText('Test delivery: processed').waitFor()
    await page
      .getByRole('table', { name: /Deliveries/ })
      .getByRole('button')
      .first()
      .click()
    await page.getByRole('dialog').getByText('goldmaster-test').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText(/Processed again/).waitFor()
  })

  test('a lead who connects a server chooses which of its jobs the credential is used for', async () => {
    const { page } = tab()
    const connect = async (choice?: string) => {
      await tab().go(`${project()}/integrations`)
      await page.getByRole('button', { name: 'Connect tool' }).click()
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Jenkins/ })
        .click()
      const server = page.locator('section', { has: page.getByRole('heading', { name: /Server access/ }) })
      await server.getByLabel('Jenkins server').fill('https://ci.example/')
      if (choice !== undefined) await server.getByLabel('Use the credential for').selectOption({ label: choice })
      expect(await axe(page)).toEqual([])
      await server.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Allowed jobs' }).waitFor()
      // Then the choice is part of the list.
      await expect.poll(() => server.getByLabel('Use the credential for').count()).toBe(0)
      const [id] = /\d+$/.exec(new URL(page.url()).pathname)!
      return studio().db.one(sql`select every_place, config ->> 'server' as server from integrations where id = ${Number(id)}`)
    }
    expect(await connect()).toEqual({ every_place: false, server: 'https://ci.example/' })
    await page.getByRole('button', { name: 'Allow all jobs of this server' }).waitFor()
    expect(await connect('All jobs of this server')).toEqual({ every_place: true, server: 'https://ci.example/' })
    await page.getByText(/used for all jobs of the server that a report names/).waitFor()
    await page.getByRole('button', { name: 'Limit to these jobs' }).waitFor()
  })

  test('a secret is saved with only signed deliveries, and the page shows which paths the switch opens again', async () => {
    const { page } = tab()
    const { id, webhook_token } = studio().world.integrations.ci!
    await tab().go(`${project()}/integrations/${id}`)
    const secret = page.locator('section', { has: page.getByRole('heading', { name: 'Signing secret' }) })
    const only = secret.getByLabel('Only signed deliveries')
    await secret.getByRole('button', { name: 'Generate secret' }).click()
    await only.uncheck()
    await secret.getByText(/These paths accept unsigned .*\/webhooks\/jenkins,/).waitFor()
    await only.check()
    await secret.getByRole('button', { name: 'Save' }).click()
    await secret.getByRole('button', { name: 'Replace' }).waitFor()
    expect(await only.isChecked()).toBe(true)
    expect(await axe(page)).toEqual([])
    const unsigned = async () =>
      (
        await studio().ask(`/webhooks/jenkins?token=${webhook_token}`, {
          method: 'POST',
          body: { job_name: 'night', build_number: 1, status: 'SUCCESS' },
        })
      ).status
    expect(await unsigned()).toBe(401)
    await only.click()
    await secret.getByText(/These paths accept unsigned .*\/webhooks\/jenkins,/).waitFor()
    expect(await unsigned()).toBe(200)
    await page.route('**/integrations/*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 500, body: '' }) : route.continue(),
    )
    await only.click()
    await page.getByText('The server returned an error (HTTP 500).').waitFor()
    await page.unroute('**/integrations/*')
  })

  test('a service without metering has no billing: no menu entry, no page, no way to change the plan', async () => {
    const { page } = tab()
    await tab().go('/settings/account')
    await page.getByRole('heading', { name: 'Plan', exact: true }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Usage' }).count()).toBe(1)
    await expect.poll(() => page.getByRole('link', { name: 'Billing' }).count()).toBe(0)
    await tab().go('/settings/billing')
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
    const { id } = studio().world.accounts.owl!
    const planOf = () => studio().db.one(sql`select plan from accounts where id = ${id}`)
    const before = await planOf()
    const asked = await page.evaluate(
      (path) =>
        fetch(path, { method: 'PATCH', body: '{"plan":"free"}', headers: { 'content-type': 'application/json' } }).then(
          (r) => r.status,
        ),
      `/app/api/v1/accounts/${id}/billing`,
    )
    expect(asked).toBe(404)
    expect(await planOf()).toEqual(before)
  })

  test('an outbound webhook is created, paused and removed', async () => {
    const { page } = tab()
    await tab().go('/settings/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    await page.getByLabel('URL').fill('https://example.com/hook')
    await page.getByLabel('build_run.failed').check()
    await page.getByRole('button', { name: 'Create webhook' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    const card = page.getByRole('article', { name: 'https://example.com/hook' })
    await card.getByText('build_run.failed').waitFor()
    await card.getByText('Log').click()
    await card.getByText('No messages yet.').waitFor()
    await card.getByRole('button', { name: 'Pause' }).click()
    await card.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await axe(page)).toEqual([])
    await card.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await page.getByText('No webhooks yet').waitFor()
  })

  test('a token for Unreal Game Sync is created, is in the lines to paste, and is revoked', async () => {
    const { page } = tab()
    await tab().go(`${project()}/settings`)
    await page.getByRole('link', { name: 'tokens and setup' }).click()
    await page.getByText('ugs/TOKEN').first().waitFor()
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('Everybody')
    await page.getByRole('button', { name: 'Create token' }).click()
    const line = await page.getByText(/ApiUrl=.*\/ugs\/gm_\w+/).innerText()
    const [, path] = /ApiUrl=https?:\/\/[^/]+(\/ugs\/gm_\w+)/.exec(line)!
    const status = async () => (await studio().ask(`${path}/api/latest`)).status
    expect(await status()).toBe(200)
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    expect(await status()).toBe(401)
  })

  test('creating a token asks for the password if the sign-in is not fresh', async () => {
    const { page } = tab()
    await studio().db.execute(sql`update sessions set confirmed_at = now() - interval '1 hour'`)
    await tab().go('/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('Nightly report')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.getByLabel('Password').waitFor()
    await page.keyboard.press('Escape')
    const refused = page.getByText('You signed in more than 10 minutes ago.')
    await refused.waitFor()
    expect(await refused.evaluate((node) => node.getBoundingClientRect().bottom <= innerHeight)).toBe(true)
    await page.getByRole('button', { name: 'Create token' }).click()
    await dialog.getByLabel('Password').fill('a wrong password')
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await dialog.getByText('Wrong password. Enter your current password.').waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await page
      .getByRole('dialog', { name: 'Your new token' })
      .getByText(/Copy the token now/)
      .waitFor()
    await page.getByRole('button', { name: 'I’ve copied it' }).click()
    await page.getByText('Nightly report').waitFor()
  })

  test('the audit log is filtered, saved completely and verified, and shows why its stream fails', async () => {
    const { page } = tab()
    const { db, service, world } = studio()
    const account = Number(world.accounts.owl!.id)
    await db.execute(sql`
      insert into audit_log (account_id, user_id, action)
      select ${account}, ${Number(world.users.lead!.id)}, 'editThing' from generate_series(1, 250)`)
    const url = 'syslog+tls://siem.example'
    await streams.set(db, service.vault, account, { url })
    await db.execute(sql`
      update destinations set failing_since = now(), tries = 1, error = 'its certificate is refused: it is self-signed',
        rests_until = now() + interval '10 minutes'
      where account_id = ${account} and kind = 'audit_stream'`)
    await tab().go('/settings/audit')
    await page.getByText('its certificate is refused: it is self-signed').waitFor()
    await page.getByLabel('Who').selectOption('Leading Lady')
    const narrowed = page.waitForResponse(/action=editThing&user_id=\d+/)
    await page.getByLabel('Action').fill('editThing')
    await narrowed
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as JSON' }).click()
    const entries = JSON.parse(await readFile(await (await saved).path(), 'utf8')) as { action: string }[]
    expect(entries.map(({ action }) => action)).toEqual(Array(250).fill('editThing'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('none changed or missing').waitFor()
    expect(await axe(page)).toEqual([])
  })

  test('a person is invited, and the invitation is withdrawn', async () => {
    const { page } = tab()
    await tab().go('/settings/members')
    await page.getByLabel('Email').fill('new@example.com')
    await page.getByRole('button', { name: 'Invite' }).click()
    await page.getByText(`${studio().service.site}/invitations/`).waitFor()
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('button', { name: 'Withdraw it' }).click()
    await page.getByText('No pending invitations').waitFor()
  })

  test('a claimed name of a member is confirmed with one click', async () => {
    await studio().load({
      users: [
        {
          key: 'mia',
          email: 'mia@example.com',
          name: 'Mia',
          password: PASSWORD,
          accounts: { [studio().world.accounts.owl!.id]: 'member' },
        },
      ],
    })
    const mia = await openTab(browser(), studio().service.site)
    await signInAs(mia, 'mia@example.com', PASSWORD)
    await mia.go('/settings/connected-accounts')
    await mia.page.getByLabel('Name in the tool').fill('mia-dev')
    await mia.page.getByRole('button', { name: 'Add' }).click()
    await mia.page.getByText('Pending confirmation by an owner of').waitFor()
    expect(await axe(mia.page)).toEqual([])
    const { page } = tab()
    await tab().go('/settings/members')
    await page.getByRole('button', { name: 'Confirm mia-dev' }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Confirm mia-dev' }).click()
    await page.getByText('mia-dev confirmed as Mia').waitFor()
    await mia.page.reload()
    await mia.page.getByText('Confirmed', { exact: true }).waitFor()
    expect(mia.complaints).toEqual([])
    await mia.context.close()
  })

  test('a new password ends other sessions and asks about tokens', async () => {
    const email = 'zoe@example.com'
    await studio().load({
      users: [{ key: 'zoe', email, name: 'Zoe', password: PASSWORD, accounts: { [studio().world.accounts.owl!.id]: 'member' } }],
    })
    const [here, there] = [await openTab(browser(), studio().service.site), await openTab(browser(), studio().service.site)]
    for (const one of [here, there]) await signInAs(one, email, PASSWORD)
    await here.go('/settings/profile')
    expect(await here.page.getByLabel('Revoke my API tokens').isChecked()).toBe(true)
    await here.page.getByLabel('Current password').fill(PASSWORD)
    await here.page.getByLabel('New password').fill('quite another password')
    await here.page.getByRole('button', { name: 'Change password' }).click()
    await here.page.getByText('Password changed').waitFor()
    await here.go('/settings/sessions')
    await here.page.getByText('This browser').waitFor()
    await there.go('/settings/sessions')
    await there.page.getByRole('button', { name: 'Sign in' }).waitFor()
    for (const one of [here, there]) await one.context.close()
  })

  test('an ended trial on a service without metering sends nobody to billing', async () => {
    await studio().load({
      accounts: [
        { key: 'lapsed', name: 'Lapsed Games', plan: 'team', trial_ends_at: '2020-01-01T00:00:00Z', payment_method: false },
      ],
      users: [{ key: 'late', email: 'late@example.com', name: 'Late', password: PASSWORD, accounts: { lapsed: 'owner' } }],
    })
    const late = await openTab(browser(), studio().service.site)
    await signInAs(late, 'late@example.com', PASSWORD)
    await late.page.getByText('The trial of Lapsed Games has ended').waitFor()
    await late.page.getByText('Ask the operator of this service.').waitFor()
    await expect.poll(() => late.page.getByRole('link', { name: 'Add a payment method' }).count()).toBe(0)
    expect(late.complaints).toEqual([])
    await late.context.close()
  })
})
