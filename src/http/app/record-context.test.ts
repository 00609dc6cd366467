import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import * as references from '../../domain/tasks/references.ts'

const PASSWORD = 'a long enough password'
const at = (hour: number) => new Date(Date.now() - (48 - hour) * 3_600_000).toISOString()
const change = (n: number, more: object = {}) => ({
  key: `c${n}`,
  project: 'star',
  identifier: `abc${n}`,
  branches: ['main'],
  timestamp: at(n),
  ...more,
})
const build = (key: string, n: number, more: object = {}) => ({
  key,
  project: 'star',
  status: 'completed',
  ci_job_name: 'night',
  build_number: key,
  branch: 'main',
  commit_hash: `abc${n}`,
  created_at: at(n),
  started_at: at(n),
  ...more,
})
const account = (key: string) => ({ key, name: key, plan: 'team', payment_method: true, credits: 1 })
const user = (key: string, home: string) => ({
  key,
  email: `${key}@example.com`,
  name: key,
  password: PASSWORD,
  accounts: { [home]: 'owner' },
})

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [account('owl'), account('fox')],
    users: [user('lead', 'owl'), user('rival', 'fox')],
    projects: [
      { key: 'star', account: 'owl', name: 'Star' },
      { key: 'moon', account: 'owl', name: 'Moon' },
      { key: 'den', account: 'fox', name: 'Den' },
    ],
    integrations: [{ key: 'tracker', project: 'star', provider: 'jira' }],
    changes: [
      change(1),
      change(2, {
        description: 'Mend the moon for GAME-12',
        url: 'https://git.example/abc2',
        file_url: 'https://git.example/abc2/{path}#{line}',
        files: [{ path: 'Source/Moon.cpp' }, { path: 'README.md' }, { path: '//star/main/Content/a.uasset' }],
      }),
      change(3),
      change(4, { branches: ['side'] }),
    ],
    build_runs: [
      build('b1', 1),
      build('b2', 2, { status: 'failed', output_log: 'error: broken', url: 'https://ci.example/2' }),
      build('side', 4, { branch: 'side', commit_hash: 'abc4' }),
      build('b3', 3, { created_at: at(5), started_at: at(5) }),
      build('d3', 3, { ci_job_name: 'day', created_at: at(6), started_at: at(6) }),
    ],
    tasks: [
      { key: 'moon', project: 'star', title: 'Moon is dark', task_type: 'bug', links: { changes: ['c2'] } },
      { key: 'other', project: 'star', title: 'Other', metadata: { jira: 'GAME-13' }, links: { changes: ['c1'] } },
    ],
    deployments: [
      {
        key: 'first',
        project: 'star',
        platform: 'steam',
        version: '1',
        build_run: 'b1',
        status: 'live',
        live_at: at(7),
        created_at: at(7),
      },
      { key: 'sideways', project: 'star', platform: 'custom', version: 's', build_run: 'side', created_at: at(8) },
      { key: 'second', project: 'star', platform: 'steam', version: '2', build_run: 'b3', created_at: at(9) },
      { key: 'lunar', project: 'moon', platform: 'custom', version: '3', created_at: at(10) },
      { key: 'old', project: 'moon', platform: 'custom', version: '0', created_at: at(48 - 24 * 30) },
      { key: 'theirs', project: 'den', platform: 'custom', version: '9', created_at: at(11) },
    ],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
  const { account_id, project_id, id } = (await studio.db.one<{ account_id: number; project_id: number; id: number }>(
    sql`select p.account_id, i.project_id, i.id from integrations i join projects p on p.id = i.project_id`,
  ))!
  for (const key of ['GAME-12', 'GAME-13', 'GAME-14'])
    await references.upsert(studio.db, { account_id, project_id, integration_id: id, provider: 'jira' }, { key, title: key })
})
afterAll(() => studio.close())

const idOf = (kind: 'build_runs' | 'changes' | 'deployments', key: string) => studio.world[kind][key]!.id
const contextOf = async (kind: 'build_runs' | 'changes', key: string) =>
  (await lead.app(`${place}/${kind}/${idOf(kind, key)}/context`)).json

describe('the context of a build', () => {
  test('has its neighbors of the same job and branch, its page in the CI, and links to its files', async () => {
    expect(await contextOf('build_runs', 'b2')).toMatchObject({
      url: 'https://ci.example/2',
      previous: { build_number: 'b1', status: 'completed' },
      next: { build_number: 'b3' },
      last_passed: { build_number: 'b1' },
      can_investigate: true,
      file_url: 'https://git.example/abc2/{path}#{line}',
      roots: ['Content', 'Source'],
    })
    expect(await contextOf('build_runs', 'b3')).toMatchObject({ url: '', next: null, can_investigate: false, file_url: '' })
  })

  test('another investigation can start only if the log has changed or the last one failed', async () => {
    const can = async () => (await contextOf('build_runs', 'b2')).can_investigate
    const id = idOf('build_runs', 'b2')
    await lead.app(`${place}/build_runs/${id}/investigate`, { method: 'POST' })
    expect(await can()).toBe(false)
    await studio.db.execute(sql`update investigations set status = 'completed'`)
    expect(await can()).toBe(false)
    await studio.db.execute(sql`update build_runs set output_log = 'error: more' where id = ${id}`)
    expect(await can()).toBe(true)
    await studio.db.execute(sql`update build_runs set output_log = 'error: broken' where id = ${id}`)
    await studio.db.execute(sql`update investigations set status = 'failed'`)
    expect(await can()).toBe(true)
  })
})

test('a change has its builds, later builds that contain it, its tasks, and its deployments', async () => {
  const context = await contextOf('changes', 'c2')
  const numbers = context.build_runs.map(({ build_number, exact }: { build_number: string; exact: boolean }) => [
    build_number,
    exact,
  ])
  expect(numbers).toEqual([
    ['b2', true],
    ['d3', false],
  ])
  expect(context).toMatchObject({
    url: 'https://git.example/abc2',
    tasks: [{ title: 'Moon is dark', task_type: 'bug', state: 'to_do' }],
    deployments: [{ version: '2' }],
  })
  expect(context.deployments).toHaveLength(1)
})

test('a deployment has the tasks of its changes in its project, and the tracker items that these or their texts name', async () => {
  const lunar = (await studio.load({ tasks: [{ key: 'lunar', project: studio.world.projects.moon!.id, title: 'On the moon' }] }))
    .tasks.lunar!.id
  await studio.db.execute(sql`
    insert into task_changes (account_id, task_id, change_id)
    values (${studio.world.accounts.owl!.id}, ${lunar}, ${idOf('changes', 'c2')})`)
  const release = (await lead.app(`${place}/deployments/${idOf('deployments', 'second')}/release`)).json
  expect(release.left_out).toEqual([
    { id: studio.world.tasks.moon!.id, title: 'Moon is dark', state: 'to_do', task_type: 'bug', reason: 'not_completed' },
  ])
  expect(release.references.map(({ key }: { key: string }) => key)).toEqual(['GAME-12'])
  expect(release.untracked_change_ids).toEqual([idOf('changes', 'c3')])
})

test('the timeline has all projects of the account in its days, and of no other account', async () => {
  const timeline = async (days: number) =>
    (await lead.app(`/accounts/${studio.world.accounts.owl!.id}/deployments?days_back=${days}`)).json.deployments.map(
      ({ project_name, version }: { project_name: string; version: string }) => `${project_name} ${version}`,
    )
  expect(await timeline(7)).toEqual(['Moon 3', 'Star 2', 'Star s', 'Star 1'])
  expect(await timeline(60)).toContain('Moon 0')
})
