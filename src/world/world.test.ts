import { scryptSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { raw, sql } from '../db/database.ts'
import { hashOf, Vault } from '../domain/privacy/secrets.ts'
import { LISTS } from './fields.ts'
import { loadWorld, type Progress } from './world.ts'

const full = JSON.parse(readFileSync(new URL('./fixtures/world.json', import.meta.url), 'utf8'))
const vault = new Vault('a key of these tests')
let own: TestDatabase

beforeAll(async () => {
  own = await createDatabase()
})
afterAll(() => own.drop())

const empty = () =>
  own.db.transaction(async (db) => {
    // The audit log cannot be emptied otherwise.
    await db.execute(sql`set local session_replication_role = replica`)
    await db.execute(sql`truncate accounts, users restart identity cascade`)
  })

const load = (world: object, onProgress?: (progress: Progress) => void) =>
  loadWorld(own.db, Readable.from([Buffer.from(JSON.stringify(world))]), { vault, onProgress })

// biome-ignore lint/suspicious/noExplicitAny: rows of every table
const rows = (table: string): Promise<any[]> => own.db.rows(sql`select * from ${raw(table)} order by 1, 2`)

describe('a whole world', () => {
  beforeEach(empty)

  test('prints one entry for every key, with the created secrets', async () => {
    const made = await load(full)
    expect(made).toEqual({
      accounts: { owl: { id: 1 } },
      users: { lead: { id: 1 } },
      projects: { star: { id: 1 } },
      tokens: { t1: { id: 1, token: expect.stringMatching(/^[0-9A-Za-z]{43}$/) } },
      integrations: { gh: { id: 1, webhook_token: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      channels: { 'builds-room': { id: 1 } },
      changes: { c1: { id: 1 }, c2: { id: 2 } },
      build_runs: { b1: { id: 1 } },
      test_results: { r1: { id: 1 } },
      assets: { a1: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      approvals: { p1: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      deployments: { d1: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } },
      breakages: { x1: { id: 1 } },
      corrections: { y1: { id: 1 } },
      tasks: { k1: { id: 1 } },
      comments: { m1: { id: 1 } },
    })
  })

  test('takes null credits as unlimited, and absent ones as none', async () => {
    await load({ accounts: [{ name: 'Own', credits: null }, { name: 'Absent' }, { name: 'Counted', credits: 3, plan: null }] })
    expect((await rows('accounts')).map(({ credits }) => credits)).toEqual([null, 0, 3])
  })

  test('is stored as given, with defaults for missing fields', async () => {
    const made = await load(full)
    const owner = { account_id: 1, project_id: 1 }
    expect(await rows('accounts')).toMatchObject([
      { name: 'Night Owl', plan: 'studio', credits: 20, daily_limit: 10, demo: false },
    ])
    expect(await rows('users')).toMatchObject([{ email: 'lead@example.com', default_account_id: 1 }])
    expect(await rows('account_members')).toMatchObject([{ account_id: 1, user_id: 1, role: 'owner' }])
    expect(await rows('connected_accounts')).toMatchObject([{ user_id: 1, provider: 'github', uid: 'lead-dev' }])
    expect(await rows('projects')).toMatchObject([{ account_id: 1, engine: 'unreal', status: 'active' }])
    expect(await rows('project_members')).toMatchObject([{ project_id: 1, user_id: 1, project_role: 'lead' }])
    expect(await rows('changes')).toMatchObject([
      {
        ...owner,
        source_type: 'GitCommit',
        author: 'Lead <lead@example.com>',
        author_user_id: 1,
        timestamp: '2026-01-02T03:04:05.000Z',
        file_count: 1,
      },
      { ...owner, identifier: '4711', display_identifier: 'CL 4711', files: null, orphaned_at: '2026-01-03T00:00:00.000Z' },
    ])
    expect(await rows('build_runs')).toMatchObject([
      {
        ...owner,
        integration_id: 1,
        build_number: '42',
        build_type: 'unreal',
        target_type: 'development',
        duration_seconds: 630,
        branch: '',
      },
    ])
    expect(await rows('agent_mutes')).toMatchObject([
      { ...owner, agent: 'BUILD-07', reason: 'disk is being replaced', muted_until: null, user_id: 1 },
    ])
    const tested = '2026-01-02T04:10:30.500Z'
    expect(await rows('test_builds')).toMatchObject([{ ...owner, build_run_id: 1, ci_job_name: 'game', received_at: tested }])
    expect(await rows('test_reports')).toMatchObject([{ ...owner, ci_job_name: 'game', name: 'PlayMode', platform: 'Win64' }])
    expect(await rows('test_runs')).toMatchObject([{ passed: 1, failed: 1, duration_ms: 120, received_at: tested }])
    expect(await rows('test_failures')).toMatchObject([{ outcome: 'failed', message: 'too loud', failed_at: tested }])
    const [creaks] = await own.db.rows<{ id: number }>(sql`select id from test_cases where name = 'creaks'`)
    expect(await rows('test_quarantines')).toMatchObject([
      {
        ...owner,
        test_case_id: creaks!.id,
        reason: 'needs oil',
        owner_user_id: 1,
        user_id: 1,
        until: '2126-01-09T00:00:00.000Z',
      },
    ])
    expect((await rows('build_runs'))[0].artifacts).toEqual([{ name: 'game.zip', size_bytes: 7, url: '' }])
    expect(await rows('assets')).toMatchObject([
      { ...owner, id: made.assets.a1!.id, approval_status: 'pending', last_change_id: 1 },
    ])
    expect(await own.db.rows(sql`select * from approvals order by created_at`)).toMatchObject([
      { ...owner, id: made.approvals.p1!.id, approval_stage: 'art_review', approver_user_id: 1, asset_version: 2 },
      { approval_stage: 'art_review', approval_type: 'manual', approver_user_id: null, decided_at: null },
      { status: 'pending', commit_sha: '0123456789abcdef', asset_version: 3 },
    ])
    expect(await rows('deployments')).toMatchObject([
      { ...owner, integration_id: 1, build_run_id: 1, status: 'live', live_at: null },
    ])
    expect(await rows('destinations')).toMatchObject([{ account_id: 1, kind: 'discord', room: '', status: 'active' }])
    expect(await rows('channel_rules')).toMatchObject([
      { ...owner, channel_id: 1, subject: 'breakage', branch: 'main', job: '', quiet_from: '22:00:00', quiet_until: '07:00:00' },
    ])
    expect((await rows('breakages'))[0].suspects).toEqual([
      { change_id: 1, user_id: null, score: 0.7, reasons: ['changed door.c'], reason_codes: ['other'] },
    ])
    const created_at = '2026-01-02T02:04:05.678Z'
    expect(await rows('tasks')).toMatchObject([
      {
        ...owner,
        title: 'Fix the door',
        user_id: 1,
        labels: ['door'],
        metadata: { sprint: 3 },
        created_at,
        updated_at: created_at,
      },
      { state: 'to_do', task_type: 'chore', priority: 'medium', description: '', labels: [], metadata: {} },
    ])
    expect(await rows('task_labels')).toMatchObject([{ task_id: 1, label: 'door' }])
    expect(await rows('task_changes')).toEqual([{ account_id: 1, task_id: 1, change_id: 1 }])
    expect(await rows('task_build_runs')).toEqual([{ account_id: 1, task_id: 1, build_run_id: 1 }])
    expect(await rows('task_deployments')).toEqual([{ account_id: 1, task_id: 1, deployment_id: made.deployments.d1!.id }])
  })

  test('stores only hashes of tokens and passwords, and encrypts what settings show again', async () => {
    const made = await load({ ...full, users: [{ ...full.users[0], password: 'correct horse' }] })
    const [token] = await rows('api_tokens')
    expect(token).toMatchObject({ scopes: ['ping', 'read:tasks'], created_via: 'admin', expires_at: null })
    expect(token.hash).toEqual(hashOf(made.tokens.t1!.token))
    expect(token.prefix).toBe(made.tokens.t1!.token.slice(0, 8))
    const [integration] = await rows('integrations')
    expect(integration.token_hash).toEqual(hashOf(made.integrations.gh!.webhook_token))
    expect(vault.open(integration.token_sealed, `integrations/${integration.id}/token_sealed`)).toBe(
      made.integrations.gh!.webhook_token,
    )
    expect(
      integration.secrets_sealed.map((sealed: string) => vault.open(sealed, `integrations/${integration.id}/secrets_sealed`)),
    ).toEqual(['old', 'new'])
    const [channel] = await rows('destinations')
    expect(vault.open(channel.secret_sealed, `destinations/${channel.id}/secret_sealed`)).toBe(full.channels[0].secret)
    const [login] = await rows('logins')
    const [salt, key] = login.password.split(':')
    expect(login).toMatchObject({ user_id: 1, provider_id: 'credential', provider_account_id: '1' })
    expect(salt).toMatch(/^[0-9a-f]{32}$/)
    const derived = scryptSync('correct horse', salt, 64, { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 })
    expect(key).toBe(derived.toString('hex'))
  })

  test('may have its lists in any order', async () => {
    const turned = Object.fromEntries(Object.entries(full).reverse())
    const made = await load(turned)
    expect(made.tasks.k1!.id).toBe(1)
    expect(await rows('task_build_runs')).toEqual([{ account_id: 1, task_id: 1, build_run_id: 1 }])
    expect(await rows('approvals')).toHaveLength(3)
  })

  test('reports how many rows of each list are written', async () => {
    let seen: Progress = {}
    await load(full, (progress) => {
      seen = { ...progress }
    })
    expect(seen).toEqual(Object.fromEntries(LISTS.map((list) => [list, full[list].length])))
  })
})

describe('references', () => {
  beforeEach(empty)

  test('can be ids of existing records, as a number or as text', async () => {
    const first = await load(full)
    const made = await load({
      tokens: [{ key: 't', user: 1, name: 'more' }],
      projects: [{ key: 'moon', account: 'acct_1', name: 'Moon', members: { 1: 'member' } }],
      tasks: [
        { key: 'a', project: 1, title: 'A', user: '1', links: { build_runs: [1], deployments: [first.deployments.d1!.id] } },
        { key: 'b', project: 'moon', title: 'B' },
      ],
    })
    expect(made.tasks).toEqual({ a: { id: 3 }, b: { id: 4 } })
    expect((await rows('tasks')).slice(2)).toMatchObject([
      { project_id: 1, user_id: 1 },
      { project_id: made.projects.moon!.id, account_id: 1 },
    ])
  })

  test('prefer a key of the file to an id, even a later one', async () => {
    await load(full)
    const made = await load({
      tasks: [{ project: '1', title: 'Which one?' }],
      projects: [{ key: '1', account: 1, name: 'Keyed like a number' }],
    })
    expect((await rows('tasks')).at(-1)).toMatchObject({ project_id: made.projects['1']!.id })
    expect(made.projects['1']!.id).toBe(2)
  })

  test('a key may be any word', async () => {
    const made = await load({
      accounts: [{ key: '__proto__', name: 'A' }],
      projects: [{ key: 'constructor', account: '__proto__', name: 'P' }],
    })
    expect(JSON.stringify(made)).toContain('"accounts":{"__proto__":{"id":1}}')
    expect(made.projects.constructor).toEqual({ id: 1 })
  })
})

test('more rows than one batch keep the order of the file, whichever list comes first', async () => {
  await empty()
  const tasks = Array.from({ length: 4500 }, (_, index) => ({ project: 'p', title: `T${index}` }))
  const projects = [{ key: 'p', account: 'owl', name: 'P' }]
  await load({ tasks, accounts: full.accounts, projects })
  await load({ projects: [{ key: 'p', account: 1, name: 'Q' }], tasks })
  for (const project of [1, 2]) {
    const titles = await own.db.rows<{ title: string }>(sql`select title from tasks where project_id = ${project} order by id`)
    expect(titles.map(({ title }) => title)).toEqual(tasks.map(({ title }) => title))
  }
})

test('a log longer than the maximum keeps its end', async () => {
  await empty()
  const build_runs = [{ project: 'p', output_log: `${'x'.repeat(256_000)}the end` }]
  await load({ accounts: full.accounts, projects: [{ key: 'p', account: 'owl', name: 'P' }], build_runs })
  const [{ output_log }] = await rows('build_runs')
  expect([output_log.length, output_log.slice(-8)]).toEqual([256_000, 'xthe end'])
})

test('a log is cut between characters, never within one', async () => {
  await empty()
  const kept = `🦉${'x'.repeat(255_999)}`
  const build_runs = ['', 'x', '🦉'].map((before) => ({ project: 'p', output_log: before + kept }))
  await load({ accounts: full.accounts, projects: [{ key: 'p', account: 'owl', name: 'P' }], build_runs })
  expect((await rows('build_runs')).map(({ output_log }) => output_log === kept)).toEqual([true, true, true])
})
