import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { admin } from '../../../test/support/admin.ts'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { bakerRule } from '../../../test/support/studios/baker-rule.ts'
import { appRoutes, type DeclaredName } from '../../contract/app/routes.ts'
import { isAudited, type Route } from '../../contract/routes/route.ts'
import { sql } from '../../db/database.ts'

/** Every route that changes something writes exactly one audit entry. */

const PASSWORD = 'a long enough password'
let studio: Studio
let owner: Visitor
const made: Record<string, string> = {}

beforeAll(async () => {
  const person = (key: string, role: string) => ({
    key,
    email: `${key}@example.com`,
    name: key,
    password: PASSWORD,
    accounts: { owl: role },
  })
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true, timezone: 'UTC', credits: 100 }],
      users: [
        person('owner', 'owner'),
        person('mia', 'member'),
        person('leaver', 'member'),
        { ...person('tom', 'member'), connected_accounts: [{ provider: 'jira', uid: 'tom' }] },
      ],
      projects: [{ key: 'star', account: 'owl', name: 'Star' }],
      integrations: [{ key: 'ci', project: 'star', provider: 'jenkins' }],
      changes: [{ project: 'star', identifier: '1203', branches: ['main'] }],
      build_runs: [
        {
          key: 'red',
          project: 'star',
          ci_job_name: 'game',
          build_number: '1',
          agent: 'BUILD-07',
          status: 'failed',
          output_log: 'error: no',
        },
      ],
      assets: ['one', 'two'].map((key) => ({ key, project: 'star', name: key, path: `${key}.uasset`, asset_type: 'model' })),
      tasks: [{ key: 'task', project: 'star', title: 'Task' }],
      deployments: [{ key: 'shipped', project: 'star' }],
      breakages: [{ key: 'broken', project: 'star', builds: ['red'], cause: 'no', opened_at: '2026-01-02T03:04:05.000Z' }],
      tokens: [{ key: 'theirs', user: 'mia', name: 'theirs', scopes: [] }],
    },
    { service: { metering: true } },
  )
  owner = await signIn(studio, 'owner@example.com', PASSWORD)
  await signIn(studio, 'owner@example.com', PASSWORD)
})
afterAll(() => studio.close())

const id = (list: string, key: string) =>
  String((studio.world as unknown as Record<string, Record<string, { id: unknown }>>)[list]![key]!.id)

interface Call {
  path?: Record<string, string>
  body?: unknown
}

/** One successful call of every such route, in a workable order; results are stored under the name of the route. */
const CALLS: [name: DeclaredName, call: () => Call][] = [
  ['editMe', () => ({ body: { name: 'Owner' } })],
  ['addConnectedAccount', () => ({ body: { provider: 'jira', uid: 'own' } })],
  ['removeConnectedAccount', () => ({ path: { id: made.addConnectedAccount! } })],
  ['createToken', () => ({ body: { name: 'mine', scopes: ['read:tasks'] } })],
  ['revokeToken', () => ({ path: { id: made.createToken! } })],
  ['revokeAccountToken', () => ({ path: { id: id('tokens', 'theirs') } })],
  [
    'decideCommandLine',
    () => ({ body: { allow: true, port: 4321, state: 's', code_challenge: 'c'.repeat(43), client_name: 'cli', scopes: [] } }),
  ],
  ['editAccount', () => ({ body: { timezone: 'Europe/Oslo' } })],
  ['editAccountSecurity', () => ({ body: { allowed_addresses: ['127.0.0.0/8'] } })],
  ['editBilling', () => ({ body: { plan: 'studio' } })],
  ['editAccountMember', () => ({ path: { user_id: id('users', 'mia') }, body: { role: 'admin' } })],
  ['removeAccountMember', () => ({ path: { user_id: id('users', 'leaver') } })],
  ['confirmMemberNames', () => ({ body: { ids: [Number(made.claim)] } })],
  ['rejectMemberNames', () => ({ body: { ids: [Number(made.claim)] } })],
  ['matchMemberNames', () => ({ body: { provider: 'perforce', list: 'login,email\nmia.p4,mia@example.com' } })],
  ['invite', () => ({ body: { email: 'new@example.com', role: 'guest', project_ids: [Number(id('projects', 'star'))] } })],
  ['withdrawInvitation', () => ({ path: { id: made.invite! } })],
  ['setAuditStream', () => ({ body: { url: 'syslog+tls://siem.example', from_beginning: true } })],
  ['removeAuditStream', () => ({})],
  ['createProject', () => ({ body: { name: 'Moon', engine: 'unity' } })],
  ['exportAccount', () => ({ body: {} })],
  ['exportProject', () => ({ body: { passphrase: 'twelve letters' } })],
  ['deleteProject', () => ({ path: { id: made.createProject! }, body: { name: 'Moon' } })],
  ['setApprovalRules', () => ({ body: { approval_rules: [] } })],
  ['setMeasureBudgets', () => ({ body: { budgets: [] } })],
  ['editProject', () => ({ body: { status: 'paused' } })],
  ['setProjectMember', () => ({ path: { user_id: id('users', 'mia') }, body: { project_role: 'viewer' } })],
  ['removeProjectMember', () => ({ path: { user_id: id('users', 'mia') } })],
  ['createUgsToken', () => ({ body: { name: 'ugs' } })],
  ['revokeUgsToken', () => ({ path: { id: made.createUgsToken! } })],
  ['createIntegration', () => ({ body: { provider: 'github' } })],
  ['editIntegration', () => ({ path: { id: made.createIntegration! }, body: { active: false } })],
  ['rotateIntegrationToken', () => ({ path: { id: made.createIntegration! } })],
  ['deleteIntegration', () => ({ path: { id: made.createIntegration! } })],
  ['testIntegration', () => ({ path: { id: id('integrations', 'ci') } })],
  ['setPlaces', () => ({ path: { id: id('integrations', 'ci') }, body: { every_place: false, confirm: ['Game'] } })],
  ['createWebhook', () => ({ body: { url: 'https://example.com/hook' } })],
  ['editWebhook', () => ({ path: { id: made.createWebhook! }, body: { status: 'paused' } })],
  ['rotateWebhookSecret', () => ({ path: { id: made.createWebhook! } })],
  ['removeWebhook', () => ({ path: { id: made.createWebhook! } })],
  [
    'createChannel',
    () => ({ body: { kind: 'slack_webhook', name: 'Builds', secret: 'https://hooks.slack.com/services/T0/B0/x' } }),
  ],
  ['editChannel', () => ({ path: { id: made.createChannel! }, body: { name: 'All builds' } })],
  ['testChannel', () => ({ path: { id: made.createChannel! } })],
  ['removeChannel', () => ({ path: { id: made.createChannel! } })],
  ['createFailureRule', () => ({ body: bakerRule })],
  ['editFailureRule', () => ({ path: { rule_id: bakerRule.id }, body: { ...bakerRule, score: 60 } })],
  ['removeFailureRule', () => ({ path: { rule_id: bakerRule.id } })],
  ['decideAsset', () => ({ path: { asset_id: id('assets', 'one') }, body: { status: 'approved' } })],
  ['decideAssets', () => ({ body: { asset_ids: [id('assets', 'two')], status: 'denied' } })],
  ['createTask', () => ({ body: { task: { title: 'New' } } })],
  ['editTask', () => ({ path: { id: id('tasks', 'task') }, body: { task: { priority: 'high' } } })],
  ['editTasks', () => ({ body: { ids: [Number(id('tasks', 'task'))], task: { state: 'blocked' }, add_label: 'mia' } })],
  ['deleteTasks', () => ({ body: { ids: [Number(id('tasks', 'task'))] } })],
  ['restoreTasks', () => ({ body: { ids: [Number(id('tasks', 'task'))] } })],
  [
    'reviseTask',
    () => ({ path: { id: id('tasks', 'task') }, body: { seen: { title: 'Task' }, task: { title: 'Other words' } } }),
  ],
  ['investigateBuild', () => ({ path: { build_run_id: id('build_runs', 'red') } })],
  ['correctBuild', () => ({ path: { build_run_id: id('build_runs', 'red') }, body: { category: 'network' } })],
  ['undoCorrection', () => ({ path: { id: made.correctBuild! } })],
  ['editBreakage', () => ({ path: { id: id('breakages', 'broken') }, body: { state: 'claimed' } })],
  ['createTaskComment', () => ({ path: { id: id('tasks', 'task') }, body: { body: 'Seen' } })],
  ['createBuildComment', () => ({ path: { build_run_id: id('build_runs', 'red') }, body: { body: 'Seen' } })],
  ['createBreakageComment', () => ({ path: { id: id('breakages', 'broken') }, body: { body: 'Seen' } })],
  ['createAssetComment', () => ({ path: { asset_id: id('assets', 'one') }, body: { body: 'Seen', point: { x: 0.5, y: 0.5 } } })],
  ['resolveComment', () => ({ path: { id: made.createAssetComment! }, body: { resolved: true } })],
  ['createDeploymentComment', () => ({ path: { id: id('deployments', 'shipped') }, body: { body: 'Seen' } })],
  ['editComment', () => ({ path: { id: made.createTaskComment! }, body: { body: 'Seen again' } })],
  ['attachToComment', () => ({ path: { id: made.createTaskComment! }, body: 'a file' })],
  ['uploadPreview', () => ({ path: { asset_id: id('assets', 'one'), version: '1' }, body: 'a file' })],
  ['deleteComment', () => ({ path: { id: made.createTaskComment! } })],
  ['editDeployment', () => ({ path: { id: id('deployments', 'shipped') }, body: { status: 'live', note: 'seen' } })],
  ['muteAgent', () => ({ body: { agent: 'BUILD-07', reason: 'disk full' } })],
  ['markBranchGood', () => ({ body: { branch: 'main', change: '1203', reason: 'played it' } })],
  ['createBreakageTask', () => ({ path: { id: id('breakages', 'broken') } })],
  ['cancelBisection', () => ({ path: { id: id('breakages', 'broken') } })],
  ['endOtherSessions', () => ({})],
  ['changePassword', () => ({ body: { current_password: PASSWORD, new_password: 'another long password' } })],
]

/** Covered by other tests that have the setup: a provider, a message, a second session, an assistant, an invitation, a clock, a CI. */
const ELSEWHERE: readonly DeclaredName[] = [
  'editTest',
  'deleteAccount',
  'deleteMe',
  'setSingleSignOn',
  'removeSingleSignOn',
  'replayChannelMessage',
  'replayDelivery',
  // They need a server: intake/history/imports.test.ts.
  'startImport',
  'switchWriteBack',
  'cancelImport',
  'undoImport',
  'replayOutgoing',
  'endSession',
  'decideAssistantRequest',
  'acceptInvitation',
  'confirmTwoFactor',
  'removeTwoFactor',
  'addPasskey',
  'removePasskey',
  'undoDecisions',
  'startBisection',
  'actOnBuild',
  'createComment',
  'createShareLink',
  'revokeShareLink',
  'createChangeComment',
]

const table = appRoutes as Record<string, Route>
const entries = () =>
  studio.db.rows<Record<string, unknown>>(sql`
  select action, subject, user_id, token_id, ip_address, before, after, project_id from audit_log order by id`)

test('every route that changes something is called here or covered by another test', () => {
  const writing = Object.entries(table).flatMap(([name, route]) => (isAudited(route) ? [name] : []))
  expect([...CALLS.map(([name]) => name), ...ELSEWHERE].sort()).toEqual(writing.sort())
})

test('each route writes exactly one entry with actor, action and address', async () => {
  const { id: claim } = (await studio.db.one<{ id: number }>(sql`select id from connected_accounts where uid = 'tom'`))!
  made.claim = String(claim)
  for (const [name, call] of CALLS) {
    const { path = {}, body } = call()
    const known: Record<string, string> = { account_id: id('accounts', 'owl'), project_id: id('projects', 'star'), ...path }
    const route = table[name]!
    const before = await entries()
    const answer = await owner.app(
      route.path.replace('/v1', '').replace(/:(\w+)/g, (_, key: string) => known[key]!),
      {
        method: route.method,
        body,
      },
    )
    expect(answer, `${name} ${answer.text}`).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
    if (answer.json?.id !== undefined) made[name] = String(answer.json.id)
    const added = (await entries()).slice(before.length)
    expect(added, name).toEqual([
      expect.objectContaining({ action: name, user_id: Number(id('users', 'owner')), token_id: null, ip_address: '127.0.0.1' }),
    ])
  }
})

describe('an entry', () => {
  const find = async (action: string) => (await entries()).find((entry) => entry.action === action)!

  test('contains the values before and after, and only those that changed', async () => {
    expect(await find('editAccountMember')).toMatchObject({
      subject: `member/${id('users', 'mia')}`,
      before: { role: 'member' },
      after: { role: 'admin' },
    })
    expect(await find('editAccount')).toMatchObject({ before: { timezone: 'UTC' }, after: { timezone: 'Europe/Oslo' } })
    expect(await find('removeAccountMember')).toMatchObject({ before: { role: 'member' }, after: null })
    expect(await find('createProject')).toMatchObject({ before: null, after: { name: 'Moon' } })
    expect(await find('exportProject')).toMatchObject({
      subject: `export/${made.exportProject}`,
      after: { project_id: Number(id('projects', 'star')), secrets: true },
    })
    expect(await find('decideAsset')).toMatchObject({ after: { approval_status: 'approved' } })
  })

  test('about several changed records names each', async () => {
    const ids = [Number(id('tasks', 'task'))]
    expect(await find('editTasks')).toMatchObject({ subject: 'tasks', before: null, after: { ids, state: 'blocked' } })
    for (const action of ['deleteTasks', 'restoreTasks'])
      expect(await find(action)).toMatchObject({ subject: 'tasks', after: { ids } })
    expect(await find('decideAssets')).toMatchObject({
      subject: 'assets',
      after: { ids: [id('assets', 'two')], status: 'denied' },
    })
  })

  test('contains no name, address or secret', async () => {
    const text = JSON.stringify(await entries())
    for (const secret of ['@example.com', 'hooks.slack.com/services', PASSWORD, 'mia']) expect(text).not.toContain(secret)
  })

  test('is not written for a refused request', async () => {
    const mia = await signIn(studio, 'mia@example.com', PASSWORD)
    const before = (await entries()).length
    expect(
      (await mia.app(`/accounts/${id('accounts', 'owl')}/billing`, { method: 'PATCH', body: { plan: 'team' } })).status,
    ).toBe(403)
    expect((await mia.app(`/accounts/${id('accounts', 'owl')}`, { method: 'PATCH', body: { timezone: 'Nowhere' } })).status).toBe(
      422,
    )
    expect(await entries()).toHaveLength(before)
  })

  test('cannot be changed or deleted', async () => {
    await expect(studio.db.execute(sql`delete from audit_log`)).rejects.toThrow('append-only')
    await expect(studio.db.execute(sql`update audit_log set action = 'nothing'`)).rejects.toThrow('append-only')
  })
})

test('a page filtered by action and project may end early and returns a cursor', async () => {
  const account = id('accounts', 'owl')
  await studio.db.execute(sql`
    insert into audit_log (account_id, action, subject, project_id, at)
    select ${Number(account)}, 'loaded', n::text, case when n % 500 = 1 then 4711 end, now()
    from generate_series(1, 1200) n`)
  const subjects: string[] = []
  let pages = 0
  for (let before: number | null = null, more = true; more; pages++) {
    const path: string = `/accounts/${account}/audit_log?action=loaded&project_id=4711&limit=2${before === null ? '' : `&before=${before}`}`
    const { json } = await owner.app(path)
    subjects.push(...json.entries.map(({ subject }: { subject: string }) => subject))
    more = json.has_more
    before = json.next_before
  }
  expect(subjects).toEqual(['1001', '501', '1'])
  expect(pages).toBe(3)
})

describe('the chain', () => {
  const verify = () => admin({ db: studio.db, vault: studio.service.vault }, 'audit', 'verify', id('accounts', 'owl'), '--json')
  const tamper = async (change: ReturnType<typeof sql>) =>
    studio.db.transaction(async (db) => {
      await db.execute(sql`alter table audit_log disable trigger audit_log_is_append_only`)
      await db.execute(change)
      await db.execute(sql`alter table audit_log enable trigger audit_log_is_append_only`)
    })

  test('is complete, listed with its last link, and shows where an entry was changed or is missing', async () => {
    const { entries: count, head } = JSON.parse(await verify())
    expect(count).toBe((await entries()).length)
    const { entries: newest } = (await owner.app(`/accounts/${id('accounts', 'owl')}/audit_log`)).json
    expect(newest[0]).toMatchObject({ hash: head, position: count })
    await tamper(sql`update audit_log set ip_address = '10.0.0.1' where position = 5`)
    await expect(verify()).rejects.toThrow(/entry 5 .*changed/)
    await tamper(sql`update audit_log set ip_address = '127.0.0.1' where position = 5`)
    await verify()
    await tamper(sql`delete from audit_log where position = 7`)
    await expect(verify()).rejects.toThrow(/entry 7.*missing/)
  })
})

test('a page is limited to the entries from one time until before another', async () => {
  const account = id('accounts', 'owl')
  await studio.db.execute(sql`
    insert into audit_log (account_id, action, subject, at)
    select ${Number(account)}, 'dated', n::text, '2025-03-01T00:00:00Z'::timestamptz + n * interval '1 day' from generate_series(1, 4) n`)
  const path = `/accounts/${account}/audit_log?action=dated&since=2025-03-03T00:00:00Z&until=2025-03-05T00:00:00Z`
  expect((await owner.app(path)).json.entries.map(({ subject }: { subject: string }) => subject)).toEqual(['3', '2'])
})
