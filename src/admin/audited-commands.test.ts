import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, adminOf } from '../../test/support/admin.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { bakerRule } from '../../test/support/studios/baker-rule.ts'
import { sql } from '../db/database.ts'
import { claim } from '../domain/accounts/connected-accounts.ts'

/** Every command that changes something leaves an entry in the log of each affected account. */

let studio: Studio
const folder = mkdtempSync(join(tmpdir(), 'audited-'))
const file = (name: string, value: unknown) => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  return join(folder, name)
}

beforeAll(async () => {
  studio = await openStudio({
    accounts: ['owl', 'fox', 'elk'].map((key) => ({
      key,
      name: key,
      plan: 'team',
      payment_method: true,
      credits: 10,
      timezone: 'UTC',
    })),
    users: [
      { key: 'lead', email: 'lead@owl.example', name: 'Lead', accounts: { owl: 'owner', fox: 'member' } },
      { key: 'gone', email: 'gone@owl.example', name: 'Gone Person', accounts: { owl: 'member' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'moon', account: 'owl', name: 'Moon' },
    ],
    integrations: [
      { key: 'ci', project: 'star', provider: 'jenkins' },
      { key: 'asana', project: 'star', provider: 'asana' },
    ],
  })
  const delivered = await studio.ask(`/webhooks/jenkins?token=${studio.world.integrations.ci!.webhook_token}`, {
    method: 'POST',
    body: {
      name: 'game',
      build: { number: 1, phase: 'COMPLETED', status: 'SUCCESS', full_url: 'https://ci.example/job/game/1/' },
    },
  })
  expect(delivered.status).toBeLessThan(300)
})
afterAll(async () => {
  await studio.close()
  rmSync(folder, { recursive: true })
})

const id = (list: 'accounts' | 'projects' | 'integrations', key: string) => String(studio.world[list][key]!.id)
const made: Record<string, string> = {}
const owl = () => id('accounts', 'owl')

/** In a workable order; the affected accounts; `new` is one that it creates. */
const CALLS: [command: string, words: () => string[], touched: ('owl' | 'fox' | 'elk' | 'new')[]][] = [
  ['account add', () => ['--name', 'New'], ['new']],
  ['account set', () => [owl(), '--timezone', 'Europe/Oslo'], ['owl']],
  ['user add', () => ['--email', 'new@owl.example', '--name', 'New', '--account', owl()], ['owl']],
  ['user promote', () => ['lead@owl.example'], ['owl', 'fox']],
  ['user demote', () => ['lead@owl.example'], ['owl', 'fox']],
  ['user set-password', () => ['lead@owl.example', '--password', 'a long enough password'], ['owl', 'fox']],
  ['user delete', () => ['gone@owl.example', '--yes'], ['owl']],
  [
    'sso set',
    () => [
      owl(),
      '--issuer',
      'https://login.owl.example',
      '--client-id',
      'gold',
      '--client-secret',
      'hidden',
      '--domains',
      'owl.example',
    ],
    ['owl'],
  ],
  ['sso scim-token', () => [owl()], ['owl']],
  ['sso remove', () => [owl()], ['owl']],
  ['people confirm', () => [owl(), made.name!], ['owl']],
  ['people reject', () => [owl(), made.name!], ['owl']],
  ['people import', () => [owl(), '--from', file('people.csv', 'login,email'), '--provider', 'perforce'], ['owl']],
  ['project add', () => ['--account', owl(), '--name', 'Sun', '--owner', 'lead@owl.example'], ['owl']],
  ['project delete', () => [id('projects', 'moon'), '--yes'], ['owl']],
  ['token add', () => ['--user', 'lead@owl.example', '--name', 'ci', '--scopes', 'ping'], ['owl', 'fox']],
  ['token revoke', () => [made['token add']!], ['owl', 'fox']],
  ['integration add', () => ['--project', id('projects', 'star'), '--provider', 'github'], ['owl']],
  ['integration deactivate', () => [made['integration add']!], ['owl']],
  ['integration activate', () => [made['integration add']!], ['owl']],
  ['integration secret', () => [made['integration add']!, 'hidden'], ['owl']],
  ['integration require-signature', () => [made['integration add']!], ['owl']],
  ['integration handshake', () => [id('integrations', 'asana')], ['owl']],
  ['integration config', () => [id('integrations', 'ci'), '{"server": "https://jenkins.example.com"}'], ['owl']],
  ['integration import', () => [id('integrations', 'ci')], ['owl']],
  ['integration cancel-import', () => [id('integrations', 'ci'), made['integration import']!], ['owl']],
  ['integration undo-import', () => [id('integrations', 'ci'), made['integration import']!], ['owl']],
  ['integration write-back', () => [made['integration add']!], ['owl']],
  ['integration places', () => [id('integrations', 'ci'), '--confirm', 'Star/main'], ['owl']],
  ['integration delete', () => [made['integration add']!], ['owl']],
  ['deliveries replay', () => [made.delivery!], ['owl']],
  ['deliveries test', () => [id('integrations', 'ci')], ['owl']],
  ['webhook add', () => ['--account', owl(), '--url', 'https://example.com/hook'], ['owl']],
  ['webhook set', () => [made['webhook add']!, '--events', 'task.*'], ['owl']],
  ['webhook pause', () => [made['webhook add']!], ['owl']],
  ['webhook resume', () => [made['webhook add']!], ['owl']],
  ['webhook rotate', () => [made['webhook add']!], ['owl']],
  ['webhook replay', () => [made['webhook add']!, '--failed-since', '2026-01-01T00:00:00Z'], ['owl']],
  ['webhook remove', () => [made['webhook add']!], ['owl']],
  ['ugs-token add', () => ['--project', id('projects', 'star'), '--name', 'all'], ['owl']],
  ['ugs-token revoke', () => [made['ugs-token add']!], ['owl']],
  ['rule add', () => [file('rule.json', [bakerRule]), '--account', owl()], ['owl']],
  ['rule remove', () => [bakerRule.id, '--account', owl()], ['owl']],
  ['audit stream', () => [owl(), '--url', 'https://siem.example/in', '--secret', 'hidden hidden'], ['owl']],
  ['export', () => [owl(), '--out', join(folder, 'owl.json')], ['owl']],
  ['diagnosis export', () => [join(folder, 'logs'), '--account', owl()], ['owl']],
  ['load', () => [file('world.json', { tasks: [{ project: Number(id('projects', 'star')), title: 'Loaded' }] })], ['owl']],
  ['rotate-keys', () => [], ['owl', 'fox', 'elk', 'new']],
]

/** They only read, act on the whole database, or delete the log with its account. */
const OTHERS = [
  ...['account list', 'account show', 'user list', 'sso show', 'project list', 'token list', 'integration list', 'rule list'],
  ...['deliveries list', 'deliveries show', 'deliveries health', 'webhook list', 'webhook show', 'webhook log', 'ugs-token list'],
  ...[
    'rule show',
    'rule test',
    'audit list',
    'audit verify',
    'status',
    'backup',
    'restore',
    'move',
    'distribute',
    'account delete',
  ],
  'list-backups',
  'integration imports',
  'people list',
]

test('every command is tested here, or known to change nothing of an account', async () => {
  const commands = (await adminOf(studio as never).admin()).commands
  const names = commands.flatMap((noun) =>
    noun.commands.length === 0 ? [noun.name()] : noun.commands.map((one) => `${noun.name()} ${one.name()}`),
  )
  expect([...CALLS.map(([name]) => name), ...OTHERS].sort()).toEqual(names.filter((name) => !name.endsWith('help')).sort())
})

test('each leaves one entry in every affected account, and none elsewhere', async () => {
  const entries = () =>
    studio.db.rows<Record<string, unknown>>(sql`
      select account_id, actor, action, subject, user_id, before, after from audit_log where action like 'admin %' order by id`)
  made.delivery = String((await studio.db.one<{ id: number }>(sql`select id from deliveries limit 1`))!.id)
  made.name = String((await claim(studio.db, Number(studio.world.users.lead!.id), 'github', 'lead-gh')).id)
  const known = new Map(['owl', 'fox', 'elk'].map((key) => [Number(id('accounts', key)), key]))
  for (const [name, words, touched] of CALLS) {
    const before = (await entries()).length
    const printed = await admin({ db: studio.db, vault: studio.service.vault }, ...name.split(' '), ...words(), '--json')
    const answer = printed.startsWith('{') ? JSON.parse(printed) : {}
    if (answer.id !== undefined) made[name] = String(answer.id)
    const added = (await entries()).slice(before)
    for (const entry of added) expect(entry, name).toMatchObject({ action: `admin ${name}`, actor: 'operator', user_id: null })
    expect(added.map(({ account_id }) => known.get(account_id as number) ?? 'new').sort(), name).toEqual([...touched].sort())
    if (name === 'account set')
      expect(added[0]).toMatchObject({
        subject: `account/${owl()}`,
        before: { timezone: 'UTC' },
        after: { timezone: 'Europe/Oslo' },
      })
  }
  const text = JSON.stringify(await entries())
  for (const secret of ['hidden', 'lead@', 'a long enough password']) expect(text).not.toContain(secret)
})
