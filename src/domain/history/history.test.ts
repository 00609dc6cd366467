import { afterAll, beforeAll, expect, test } from 'vitest'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { historyWords } from '../../contract/labels/history-words.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true },
      { key: 'fox', name: 'Red Fox', plan: 'team', payment_method: true },
    ],
    users: [
      { key: 'kim', email: 'kim@example.com', name: 'Kim', password: PASSWORD, accounts: { owl: 'owner' } },
      { key: 'viewer', email: 'viewer@example.com', name: 'Viewer', accounts: { owl: 'member' } },
      { key: 'rival', email: 'rival@example.com', name: 'Rival', accounts: { fox: 'owner' } },
    ],
    projects: [
      { key: 'star', account: 'owl', name: 'Starfall', members: { kim: 'lead', viewer: 'viewer' } },
      { key: 'fox', account: 'fox', name: 'Foxhole' },
    ],
    tokens: ['kim', 'viewer', 'rival'].map((user) => ({ key: user, user, name: user, scopes: SCOPES })),
    tasks: [
      { key: 'task', project: 'star', title: 'Cook' },
      { key: 'other', project: 'star', title: 'Bake' },
    ],
    changes: [{ key: 'change', project: 'star', identifier: 'abc', source_type: 'GitCommit', author: 'kim', branches: ['main'] }],
    build_runs: [
      {
        key: 'build',
        project: 'star',
        status: 'failed',
        branch: 'main',
        started_at: '2026-01-01T10:00:00Z',
        finished_at: '2026-01-01T11:00:00Z',
        output_log: 'error: disk full',
      },
      { key: 'other', project: 'star', status: 'failed' },
    ],
    assets: ['crate', 'barrel'].map((key) => ({
      key,
      project: 'star',
      name: `${key}.png`,
      path: `${key}.png`,
      asset_type: 'texture',
      approvals: [{ key, status: 'pending', stage: 'review', commit_sha: 'abc' }],
    })),
    deployments: [{ key: 'ship', project: 'star', platform: 'steam', version: '1.0', status: 'live' }],
    breakages: [{ key: 'breakage', project: 'star', builds: ['build'], opened_at: '2026-01-01T11:00:00Z' }],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => String(studio.world[kind as 'tasks']![key]!.id)
const kim = () => studio.world.users!.kim!.id as number
const ask = async (method: string, path: string, body?: object, token = 'kim', project = 'star') => {
  const { status, text } = await studio.ask(`/api/v1/projects/${id('projects', project)}/${path}`, {
    method,
    token: studio.world.tokens![token]!.token,
    ...(body && { body }),
  })
  return { status, json: text ? JSON.parse(text) : undefined }
}
const historyOf = async (path: string) => (await ask('GET', `${path}/history`)).json.history
const names = { user: (id: number) => (id === kim() ? 'Kim' : `user ${id}`), moment: (at: string) => at }
const wordsOf = async (path: string): Promise<string[]> =>
  (await historyOf(path)).map((entry: never) => historyWords(entry, names))
const paths = () => ({
  task: `tasks/${id('tasks', 'task')}`,
  build_run: `build_runs/${id('build_runs', 'build')}`,
  breakage: `breakages/${id('breakages', 'breakage')}`,
  change: `changes/${id('changes', 'change')}`,
  asset: `assets/${id('assets', 'crate')}`,
  deployment: `deployments/${id('deployments', 'ship')}`,
})

test('a task says who changed what, also after it was deleted', async () => {
  const { task } = paths()
  await ask('PATCH', task, { task: { state: 'in_progress', user_id: kim() } })
  await ask('PATCH', `tasks/${id('tasks', 'other')}`, { task: { state: 'blocked' } })
  expect((await historyOf(task))[0]).toEqual({
    id: expect.any(String),
    kind: 'edited',
    user_id: kim(),
    via_token: true,
    changes: { state: { from: 'to_do', to: 'in_progress' }, user_id: { from: null, to: kim() } },
    note: '',
    at: expect.any(String),
  })
  expect(await wordsOf(task)).toEqual([
    'Kim (with an API token) moved it to In progress, assigned it to Kim',
    expect.stringMatching(/created it$|^Created$/),
  ])
  const lead = await signIn(studio, 'kim@example.com', PASSWORD)
  await lead.app(`/projects/${id('projects', 'star')}/tasks/bulk/delete`, {
    method: 'POST',
    body: { ids: [Number(id('tasks', 'task'))] },
  })
  expect((await wordsOf(task))[0]).toBe('Kim deleted it')
})

test('a build says when it ran, who investigated it and who corrected the finding', async () => {
  const { build_run } = paths()
  await ask('POST', `${build_run}/investigate`)
  const { json } = await ask('PATCH', `${build_run}/correction`, { category: 'network' })
  await ask('POST', `corrections/${json.id}/undo`)
  await ask('PATCH', `build_runs/${id('build_runs', 'other')}/correction`, { category: 'network' })
  expect(await wordsOf(build_run)).toEqual([
    'Kim (with an API token) undid a correction',
    'Kim (with an API token) corrected why it failed',
    expect.stringMatching(/investigated/i),
    'Finished: failed',
    'Started',
  ])
})

test('an asset has its requests and decisions, and a change has those of its assets', async () => {
  const { asset, change } = paths()
  const lead = await signIn(studio, 'kim@example.com', PASSWORD)
  await ask('POST', `assets/${id('assets', 'barrel')}/approvals`, { status: 'approved' })
  await ask('POST', `${asset}/approvals`, { status: 'denied', comments: 'Too dark' })
  expect((await historyOf(asset))[0]).toMatchObject({ kind: 'denied', user_id: kim(), note: 'Too dark' })
  expect(await wordsOf(change)).toEqual(expect.arrayContaining(['Kim denied an asset of it', 'Kim approved an asset of it']))
  await lead.app(`/projects/${id('projects', 'star')}/approvals/undo`, {
    method: 'POST',
    body: { asset_ids: [id('assets', 'crate')] },
  })
  for (const record of [asset, change]) expect((await wordsOf(record))[0]).toBe('Kim undid a decision')
  expect(await wordsOf(`assets/${id('assets', 'barrel')}`)).not.toContain('Kim undid a decision')
})

test('an asset says of which version a preview was uploaded, also if it replaced another', async () => {
  const { asset } = paths()
  for (let i = 0; i < 2; i++) {
    const { status } = await studio.ask(`/api/v1/projects/${id('projects', 'star')}/${asset}/versions/1/preview`, {
      method: 'PUT',
      token: studio.world.tokens!.kim!.token,
      raw: Buffer.from('a text') as Buffer<ArrayBuffer>,
      headers: { 'content-type': 'application/octet-stream' },
    })
    expect(status).toBeLessThan(300)
    expect((await wordsOf(asset)).slice(0, i + 1)).toEqual(
      Array(i + 1).fill('Kim (with an API token) uploaded a preview of version 1'),
    )
  }
})

test('a breakage and a deployment say who did what and why', async () => {
  const { breakage, deployment } = paths()
  await ask('PATCH', breakage, { state: 'claimed' })
  await ask('PATCH', deployment, { status: 'rolled_back', note: 'crashes' })
  expect((await wordsOf(breakage))[0]).toMatch(/^Kim \(with an API token\) (claimed it|assigned it to Kim)$/)
  const [entry] = await historyOf(deployment)
  expect(entry).toMatchObject({
    kind: 'status',
    user_id: kim(),
    note: 'crashes',
    before: 'live',
    after: 'rolled_back',
    changes: { status: { from: 'live', to: 'rolled_back' } },
  })
  expect(historyWords(entry, names)).toBe('Kim (with an API token) changed the status from Live to Rolled back')
  const lead = await signIn(studio, 'kim@example.com', PASSWORD)
  const body = { status: 'live', note: 'mended' }
  await lead.app(`/projects/${id('projects', 'star')}/${deployment}`, { method: 'PATCH', body })
  expect((await wordsOf(deployment))[0]).toBe('Kim changed the status from Rolled back to Live')
})

test('viewers read every history, other accounts find none', async () => {
  for (const path of Object.values(paths())) {
    expect((await ask('GET', `${path}/history`, undefined, 'viewer')).status).toBe(200)
    expect((await ask('GET', `${path}/history`, undefined, 'rival')).status).toBe(404)
    expect((await ask('GET', `${path}/history`, undefined, 'rival', 'fox')).status).toBe(404)
    const { json } = await ask('GET', `${path}/history?limit=1`)
    expect(json.history.length).toBeLessThanOrEqual(1)
    expect(JSON.stringify(json)).not.toContain('@')
  }
  const first = await ask('GET', `${paths().build_run}/history?limit=2`)
  expect(first.json).toMatchObject({ history: [{}, {}], pagination: { limit: 2, has_more: true } })
})

test('an entry of the audit log is found by its record, however many there are', async () => {
  const { account_id } = (await studio.db.one<{ account_id: number }>(sql`select account_id from projects limit 1`))!
  await studio.db.execute(sql`
    insert into audit_log (account_id, action, subject)
    select ${account_id}, 'correctBuild', 'build_run/' || n from generate_series(1000, 30000) n`)
  await studio.db.execute(sql`analyze audit_log`)
  const plan = await studio.db.rows<{ 'QUERY PLAN': string }>(sql`
    explain select * from audit_log where account_id = ${account_id} and subject = 'build_run/' || 20000::bigint order by id desc limit 26`)
  expect(JSON.stringify(plan)).toContain('audit_log_subject')
})
