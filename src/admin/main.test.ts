import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../test/support/admin.ts'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { sql } from '../db/database.ts'
import { open as openIntegration } from '../domain/integrations/webhook-access.ts'
import { hashOf, Vault } from '../domain/privacy/secrets.ts'
import { adminCommand } from './main.ts'

const unopened = () => Promise.reject(new Error('not opened for help'))
const vault = new Vault('a key of these tests')
const site = 'https://gold.example'
let own: TestDatabase
let metering = false
let folder: string

beforeAll(async () => {
  own = await createDatabase()
  folder = await mkdtemp(join(tmpdir(), 'goldmaster-admin-'))
})
afterAll(async () => {
  await own.drop()
  await rm(folder, { recursive: true })
})

/** Runs a command like an operator and returns its output. */
const run = (...words: string[]) => admin({ db: own.db, vault, site, metering }, ...words)
const json = async (...words: string[]) => JSON.parse(await run(...words, '--json'))

describe('load', () => {
  const file = async (world: object) => {
    const path = join(folder, 'world.json')
    await writeFile(path, JSON.stringify(world))
    return path
  }

  test('prints the ids and secrets of what it created', async () => {
    const made = JSON.parse(
      await run(
        'load',
        await file({
          accounts: [{ key: 'owl', name: 'Night Owl' }],
          users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
          projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
        }),
      ),
    )
    expect(made).toMatchObject({ accounts: { owl: { id: 1 } }, users: { lead: { id: 1 } }, projects: { star: { id: 1 } } })
  })

  test('reports an error in one line', async () => {
    await expect(run('load', await file({ accounts: [{ titel: 'x' }] }))).rejects.toThrow('accounts[0]: unknown field "titel"')
    await expect(run('load', join(folder, 'absent.json'))).rejects.toThrow(/^Can't read .*absent\.json: file not found$/)
  })
})

describe('account', () => {
  test('add, show, list', async () => {
    const made = await json('account', 'add', '--name', 'Moon', '--plan', 'studio', '--credits', '7')
    expect(made).toMatchObject({ name: 'Moon', plan: 'studio', credits: 7, timezone: 'America/New_York', read_only: null })
    expect(await json('account', 'show', `acct_${made.id}`)).toMatchObject(made)
    expect(await run('account', 'list')).toBe('1\tNight Owl\tteam\t0\t\t1\t1\n2\tMoon\tstudio\t7\t\t0\t0\n')
  })

  test('without credits investigations are unlimited, unless accounts are metered here; set adds and removes the limit', async () => {
    const made = await json('account', 'add', '--name', 'Own')
    expect(made).toMatchObject({ plan: 'enterprise', credits: null, trial_ends_at: null })
    expect(await json('account', 'add', '--name', 'Told', '--plan', 'team')).toMatchObject({ plan: 'team', credits: null })
    expect(await json('account', 'add', '--name', 'Told', '--credits', '0')).toMatchObject({ plan: 'enterprise', credits: 0 })
    expect(await json('account', 'set', String(made.id), '--credits', '3')).toMatchObject({ credits: 3 })
    expect(await json('account', 'set', String(made.id), '--name', 'Own')).toMatchObject({ credits: 3 })
    expect(await json('account', 'set', String(made.id), '--credits', 'none')).toMatchObject({ credits: null })
    metering = true
    expect(await json('account', 'add', '--name', 'Metered')).toMatchObject({ plan: 'team', credits: 0 })
    metering = false
  })

  test('an ended trial closes an account, a payment method opens it at once', async () => {
    expect(await json('account', 'set', '2', '--trial-ends-at', '2020-01-01')).toMatchObject({ read_only: 'trial_expired' })
    expect(await json('account', 'set', '2', '--payment-method', 'yes')).toMatchObject({ read_only: null, payment_method: true })
    expect(await json('account', 'set', '2', '--payment-method', 'no')).toMatchObject({ read_only: 'trial_expired' })
    expect(await json('account', 'set', '2', '--trial-ends-at', 'none')).toMatchObject({ read_only: null, trial_ends_at: null })
    expect(await json('account', 'set', '2', '--demo', 'yes')).toMatchObject({ read_only: 'demo' })
  })

  test('an account that does not exist', () => expect(run('account', 'show', '99')).rejects.toThrow('Account not found.'))
})

describe('project', () => {
  const add = (owner: string) =>
    json('project', 'add', '--account', '1', '--name', 'Cinder Coast', '--engine', 'Unreal', '--owner', owner)

  test('add creates one owned by a member of the account', async () => {
    const made = await add('lead@example.com')
    expect(made).toMatchObject({ account_id: 1, name: 'Cinder Coast', engine: 'unreal', status: 'active' })
    expect(await own.db.rows(sql`select user_id, project_role from project_members where project_id = ${made.id}`)).toEqual([
      { user_id: 1, project_role: 'lead' },
    ])
    expect((await json('project', 'list', '--account', '1')).map(({ id }: { id: number }) => id)).toContain(made.id)
    expect(await json('project', 'list', '--account', '999')).toEqual([])
  })

  test('add refuses an owner who is not a member of the account', async () => {
    await run('user', 'add', '--email', 'guest@example.com', '--name', 'Guest')
    await expect(add('guest@example.com')).rejects.toThrow('guest@example.com is not a member of account 1')
    await expect(add('nobody@example.com')).rejects.toThrow(/not found/i)
  })
})

describe('user', () => {
  test('add creates a member who can sign in', async () => {
    const made = await json(
      ...[
        'user',
        'add',
        '--email',
        'Kim@Example.com',
        '--name',
        'Kim',
        '--account',
        '1',
        '--role',
        'owner',
        '--password',
        'open',
      ],
    )
    expect(made).toMatchObject({ email: 'kim@example.com', account_ids: [1], default_account_id: 1, can_sign_in: true })
    expect(await json('user', 'list', '--account', '1')).toHaveLength(2)
    expect(await json('user', 'list', '--account', '2')).toEqual([])
    await expect(run('user', 'add', '--email', 'KIM@example.com', '--name', 'K')).rejects.toThrow(
      'kim@example.com has a user already.',
    )
  })

  test('set-password replaces the previous one', async () => {
    const kept = () => own.db.rows(sql`select user_id, password from logins order by id`)
    const before = await kept()
    expect(await json('user', 'set-password', 'kim@example.com', '--password', 'sesame')).toMatchObject({ can_sign_in: true })
    expect(await kept()).toHaveLength(before.length)
    expect(await kept()).not.toEqual(before)
    await expect(run('user', 'set-password', 'nobody@example.com', '--password', 'x')).rejects.toThrow('User not found.')
  })
})

describe('operator', () => {
  const isOperator = async (name: string) =>
    (await json('user', 'list')).find((user: { email: string }) => user.email === name).operator

  test("promote and demote change a user's access to the service", async () => {
    expect(await json('user', 'promote', 'kim@example.com')).toMatchObject({ email: 'kim@example.com', operator: true })
    expect(await isOperator('kim@example.com')).toBe(true)
    expect(await json('user', 'demote', 'kim@example.com')).toMatchObject({ operator: false })
    expect(await isOperator('kim@example.com')).toBe(false)
    await expect(run('user', 'promote', 'nobody@example.com')).rejects.toThrow('User not found.')
  })
})

describe('token', () => {
  test('add prints the value once; list never does', async () => {
    const made = await json('token', 'add', '--user', 'lead@example.com', '--name', 'ci', '--scopes', 'write:tasks,read:tasks')
    expect(made).toMatchObject({ scopes: ['ping', 'read:tasks', 'write:tasks'], expires_at: null })
    const row = await own.db.one<{ id: number }>(sql`select id from api_tokens where hash = ${hashOf(made.token)}`)
    expect(row).toEqual({ id: made.id })
    const listed = await run('token', 'list', '--user', '1', '--json')
    expect(JSON.parse(listed)).toMatchObject([{ id: made.id, prefix: made.token.slice(0, 8), created_via: 'admin' }])
    expect(listed).not.toContain(made.token)
  })

  test('one with a lifetime expires then', async () => {
    const before = Date.now()
    const { expires_at } = await json('token', 'add', '--user', '1', '--name', 'brief', '--scopes', 'all', '--days', '3')
    const madeAt = Date.parse(expires_at) - 3 * 86_400_000
    expect(madeAt).toBeGreaterThanOrEqual(before)
    expect(madeAt).toBeLessThanOrEqual(Date.now())
  })

  test('revoke works once', async () => {
    expect(await json('token', 'revoke', '1')).toEqual({ id: 1, revoked: true })
    await expect(run('token', 'revoke', '1')).rejects.toThrow('Token not found, or already revoked.')
  })
})

describe('integration', () => {
  test('add prints the URL to call; its token and secret work', async () => {
    const made = await json('integration', 'add', '--project', '1', '--provider', 'github', '--secret', 'hush')
    expect(made.url).toBe(`${site}/webhooks/github?token=${made.webhook_token}`)
    const opened = await openIntegration(own.db, vault, made.webhook_token, 'github')
    expect(opened).toMatchObject({ integration_id: made.id, project_id: 1, secrets: ['hush'] })
    await json('integration', 'secret', String(made.id), 'new', 'old')
    expect((await openIntegration(own.db, vault, made.webhook_token, 'github')).secrets).toEqual(['new', 'old'])
    expect(await json('integration', 'secret', String(made.id), '--clear')).toMatchObject({ secrets: 0 })
    expect(await json('integration', 'deactivate', String(made.id))).toMatchObject({ active: false })
    await expect(openIntegration(own.db, vault, made.webhook_token, 'github')).rejects.toMatchObject({ status: 404 })
    expect(await json('integration', 'activate', String(made.id))).toMatchObject({ active: true })
    expect(await run('integration', 'list', '--project', '1')).toContain('github')
  })

  test('delete removes it for good', async () => {
    const made = await json('integration', 'add', '--project', '1', '--provider', 'linear')
    expect(await json('integration', 'delete', String(made.id))).toEqual({ id: made.id, deleted: true })
    await expect(openIntegration(own.db, vault, made.webhook_token, 'linear')).rejects.toMatchObject({ status: 404 })
    expect(await run('integration', 'list')).not.toContain('linear')
    for (const verb of ['delete', 'activate', 'deactivate'])
      await expect(run('integration', verb, String(made.id))).rejects.toThrow('Integration not found.')
    await expect(run('deliveries', 'test', String(made.id))).rejects.toThrow('Integration not found.')
  })

  test('a project that does not exist', () =>
    expect(run('integration', 'add', '--project', '99', '--provider', 'lore')).rejects.toThrow('Project not found.'))
})

describe('usage', () => {
  const leaves = (one: Command): Command[] => (one.commands.length === 0 ? [one] : one.commands.flatMap(leaves))
  const pathOf = (one: Command): string => (one.parent ? `${pathOf(one.parent)} ${one.name()}` : one.name())

  test.each(
    leaves(adminCommand({ store: unopened, rawDatabase: unopened, storedBackups: unopened })).map(
      (leaf) => [pathOf(leaf), leaf] as const,
    ),
  )('%s accepts --json and has an example', (path, leaf) => {
    let help = ''
    leaf.configureOutput({ writeOut: (text) => (help += text) }).outputHelp()
    expect(help).toContain('--json')
    expect(help).toMatch(/\nExamples?:\n {2}/)
    expect(help).toContain(`goldmaster ${path}`)
  })

  test.each([
    [['account', 'add']],
    [['account', 'add', '--name', 'A', '--plan', 'gold']],
    [['account', 'set', '1', '--timezone', 'Mars']],
    [['account', 'show', 'seven']],
    [['token', 'add', '--user', '1', '--name', 'x', '--scopes', 'read:everything']],
    [['integration', 'add', '--project', '1', '--provider', 'punchcards']],
    [['integration', 'secret', '1', 'a', '--clear']],
    [['nonsense']],
    [['token', 'add', '--user', '1', '--name', 'x', '--scopes', 'all', '--days', '1', '--expires-at', '2030-01-01']],
    [['webhook', 'replay', '1']],
  ])('%j exits with 2', (words) => expect(run(...words)).rejects.toMatchObject({ exit: 2 }))

  test('a wrong argument leads to the help of its command', () =>
    expect(run('people', 'confirm', '1', 'abc')).rejects.toMatchObject({
      exit: 2,
      message: expect.stringMatching(/such as 7; see: goldmaster admin people confirm --help$/),
    }))
})

test('user set-password ends sessions, verifies the address, and revokes tokens on request', async () => {
  const { id } = await json('user', 'add', '--email', 'ivy@example.com', '--name', 'Ivy')
  await own.db.execute(sql`update users set email_verified = false where id = ${id}`)
  await own.db.execute(sql`insert into sessions (user_id, token, expires_at) values (${id}, 'ivy', now() + interval '1 day')`)
  await json('token', 'add', '--user', 'ivy@example.com', '--name', 'ci', '--scopes', 'all')
  const state = () =>
    own.db.one(sql`
      select email_verified, (select count(*) from sessions where user_id = u.id) as sessions,
        (select count(*) from api_tokens where user_id = u.id and revoked_at is null) as tokens from users u where id = ${id}`)
  await json('user', 'set-password', 'ivy@example.com', '--password', 'sesame')
  expect(await state()).toEqual({ email_verified: true, sessions: 0, tokens: 1 })
  await json('user', 'set-password', 'ivy@example.com', '--password', 'sesame', '--revoke-tokens')
  expect(await state()).toMatchObject({ tokens: 0 })
})

test('sso configures a provider, changes only what is given, never shows its secret, and refuses invalid values', async () => {
  const { id } = await json('account', 'add', '--name', 'With a provider')
  const account = String(id)
  const words = ['--issuer', 'https://login.example', '--client-id', 'gold', '--client-secret', 'not to be shown']
  const made = await json('sso', 'set', account, ...words, '--domains', 'Studio.example', '--role-groups', 'a=b=owner')
  expect(made).toMatchObject({
    issuer: 'https://login.example',
    domains: ['studio.example'],
    role_groups: [{ group: 'a=b', role: 'owner' }],
    default_role: 'member',
    required: false,
  })
  expect(JSON.stringify(made)).not.toContain('not to be shown')
  expect(await json('sso', 'set', account, '--required', 'yes', '--default-role', 'none')).toMatchObject({
    domains: ['studio.example'],
    default_role: null,
    required: true,
  })
  await expect(run('sso', 'set', account, '--role-groups', 'crew=boss')).rejects.toThrow()
  await expect(run('sso', 'set', account, '--domains', 'nodots')).rejects.toThrow()
  await run('sso', 'remove', account)
  await expect(run('sso', 'show', account)).rejects.toThrow()
})

test('restore of a folder says which file it needs', async () => {
  await expect(run('restore', tmpdir())).rejects.toThrow(`${tmpdir()} is a folder. Pass the backup file`)
})
