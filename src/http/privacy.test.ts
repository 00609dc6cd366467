import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, openStudio, type Studio } from '../../test/support/studio.ts'
import { all, asker, BODIES } from '../../test/support/studios/every-route.ts'
import { nightOwl } from '../../test/support/studios/night-owl.ts'
import { sql } from '../db/database.ts'

/** A world full of addresses and names, and no reply of any route contains one. */

const NAMES = ['Leading Lady', 'Rival', 'Guest Gwen']
const ADDRESS = /[^\s@]@[^\s@]+\.[a-z]{2,}/i

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...nightOwl,
    users: [
      ...nightOwl.users,
      {
        key: 'guest',
        email: 'guest@example.com',
        name: 'Guest Gwen',
        accounts: { owl: 'member' },
        connected_accounts: [{ provider: 'jira', uid: 'guest@example.com' }],
      },
    ],
    projects: nightOwl.projects.map((project) =>
      project.key === 'star' ? { ...project, members: { lead: 'owner', guest: 'member' } } : project,
    ),
  })
  const builds = await studio.db.rows<{ account: number; build: number }>(sql`
    select account_id as account, id as build from build_runs`)
  for (const { account, build } of builds) {
    await studio.db.execute(sql`
      insert into build_steps (account_id, build_run_id, name, status, detail)
      values (${account}, ${build}, 'cook', 'failed', 'told cook@example.com')`)
    await studio.db.execute(sql`
      insert into investigations (account_id, build_run_id, status, diagnosis, suggested_fix, attributed_user_id, steps, evidence, suspects)
      values (${account}, ${build}, 'completed', 'broken by lead@example.com', 'Ask lead@example.com', ${Number(id('users', 'lead'))},
        '[{"name":"read","status":"done","detail":"by a@example.com"}]', '[{"line":1,"text":"line one by owner@example.com"}]',
        '[{"change_id":1,"user_id":1,"score":1,"reasons":["b@example.com named it"],"reason_codes":["other"]}]')`)
  }
  // Builds of a breakage show whom its occurrence names.
  await studio.db.execute(sql`update breakage_occurrences set attributed_user_id = ${Number(id('users', 'lead'))}`)
})
afterAll(() => studio.close())

const { id, tokenOf, pathOf, ask } = asker(() => studio)
const reads = all.filter(([, route]) => route.method === 'GET')

function expectClean(answer: Answer) {
  expect(answer.text).not.toMatch(ADDRESS)
  expect(answer.text).not.toContain('@example')
  for (const name of NAMES) expect(answer.text).not.toContain(name)
}

const keysOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(keysOf)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
      : []

describe.each(reads)('%s', (name, route) => {
  const queries = ['', ...('limit' in route.query ? ['?limit=50'] : []), ...('orphaned' in route.query ? ['?orphaned=1'] : [])]

  test('returns no address and no name', async () => {
    for (const query of queries) {
      const answer = await ask(name, `${pathOf(name)}${query}`)
      expect(answer.status).toBe(200)
      expectClean(answer)
    }
  })

  test('has none of the fields that must never be sent', async () => {
    const keys = new Set(keysOf((await ask(name)).json))
    for (const never of [
      'attributed_author',
      'approver',
      'notes',
      'output_log',
      'email',
      'display_name',
      'password',
      'hash',
      'author_user_id',
    ])
      expect([...keys]).not.toContain(never)
    if (!name.includes('Task')) expect([...keys]).not.toContain('metadata')
    if (
      ![
        'ping',
        'listProjects',
        'showProject',
        'listAssets',
        'searchAssets',
        'showAsset',
        'showBuild',
        'listBranches',
        'showBranchHealth',
        'showTest',
        'listAgents',
        'muteAgent',
      ].includes(name)
    )
      expect([...keys]).not.toContain('name')
  })

  test('refuses without an address or a name', async () => {
    for (const answer of [
      await ask(name, undefined, { token: tokenOf(`without ${route.scope}`) }),
      await ask(name, undefined, { token: null }),
      await ask(name, `${pathOf(name)}?surprise=1`),
      await ask(name, undefined, { method: 'DELETE' }),
      ...(route.path.includes(':') ? [await ask(name, pathOf(name, id('projects', 'fox')))] : []),
    ])
      expectClean(answer)
  })
})

test.each(Object.keys(BODIES) as (keyof typeof BODIES)[])('%s returns no address and no name, refused or not', async (name) => {
  const bodies = [
    BODIES[name],
    { surprise: 1 },
    { task: { user_id: Number(id('users', 'rival')) } },
    { task: { title: 'x', user_id: Number(id('users', 'guest')) } },
  ]
  for (const body of bodies) expectClean(await ask(name, undefined, { body }))
})

test('the rows behind these replies do contain addresses', async () => {
  const { n } = (await studio.db.one<{ n: number }>(sql`
    select (select count(*) from changes where author like '%@example.com%' and description like '%@example.com%')
      + (select count(*) from approvals where comments like '%@example.com%')
      + (select count(*) from build_runs where output_log like '%@example.com%') as n`))!
  expect(n).toBeGreaterThan(100)
})

test('a deployment has exactly the fields of the API', async () => {
  const { json } = await ask('showDeployment')
  expect(Object.keys(json).sort()).toEqual(
    `branch build_run build_run_id created_at current deployed_at external_build_id external_id id integration_id live_at platform replaced_by status
    store submitted_at track updated_at version`.split(/\s+/),
  )
})

test('an entry of the history has only the id of an approver', async () => {
  const { json } = await ask('showAsset', pathOf('showAsset', undefined, id('assets', 'asset1')))
  expect(json.approvals_history).toHaveLength(1)
  expect(Object.keys(json.approvals_history[0]).sort()).toEqual(['approver_user_id', 'comments', 'decided_at', 'id', 'status'])
  expect(json.approvals_history[0].approver_user_id).toBe(Number(id('users', 'lead')))
})

test('a failed build has no log and its finding no author', async () => {
  await studio.db.execute(sql`update build_runs set status = 'failed' where id = ${id('build_runs', 'build4')}`)
  const { json } = await ask('showBuild')
  expect(json).not.toHaveProperty('output_log')
  expect(json.investigation).toMatchObject({ attributed_user_id: Number(id('users', 'lead')), diagnosis: 'broken by lead' })
})

test('texts that people write into tasks stay as written', async () => {
  const title = 'Write to kim@example.com'
  const made = await ask('createTask', undefined, { body: { task: { title, description: 'Leading Lady <lead@example.com>' } } })
  const { json } = await ask('showTask', pathOf('showTask', undefined, String(made.json.id)))
  expect(json).toMatchObject({ title, description: 'Leading Lady <lead@example.com>' })
  expect((await ask('listTasks')).json.tasks[0].title).toBe(title)
})
