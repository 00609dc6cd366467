import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { performed } from '../../test/support/callers/in-process.ts'
import { signIn } from '../../test/support/callers/visitor.ts'
import { runInvestigation } from '../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'
import { hangGallery } from './gallery/gallery.ts'
import { type DemoAccess, loadDemo } from './load.ts'

let studio: Studio
let access: DemoAccess

beforeAll(async () => {
  studio = await openStudio()
  access = await loadDemo(studio.db, studio.service.vault, new Date())
})
afterAll(() => studio.close())

const ask = async (path: string, asking = {}) => studio.ask(path, { token: access.token, ...asking })
const projects = async () => (await ask('/api/v1/projects')).json.projects as { id: string; name: string }[]

test('the token gives access to three projects and the read-only one', async () => {
  expect((await projects()).map(({ name }) => name).sort()).toEqual([
    'Cinder Coast',
    'Cinder Coast (look, do not touch)',
    'Marble Post',
    'Orchard Parade',
  ])
})

test('the first project has failed builds with logs, and a queue of approvals', async () => {
  const failed = await ask(`/api/v1/projects/${access.projectId}/build_runs?status=failed`)
  const log = await ask(`/api/v1/projects/${access.projectId}/build_runs/${failed.json.build_runs[0].id}/log`)
  expect(log.text).toContain('Finished: FAILURE')
  const pending = await ask(`/api/v1/projects/${access.projectId}/approvals?status=pending`)
  expect(pending.json.approvals.length).toBeGreaterThan(3)
})

test('each list in the first steps finds something', async () => {
  const env = { GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: access.token }
  const shown = [...readFileSync('docs/guides/first-steps.md', 'utf8').matchAll(/^goldmaster (\w+ list[^#\n]*)/gm)].map(
    ([, words]) => words!.trim(),
  )
  expect(shown.length).toBeGreaterThan(2)
  for (const words of shown) {
    const place = words.startsWith('projects') ? [] : ['--project', String(access.projectId)]
    expect(await performed([...words.split(' '), ...place], { env }), words).not.toBe('')
  }
})

test('recent failures were investigated, and the newest is still broken', async () => {
  const { json } = await ask(`/api/v1/projects/${access.projectId}/breakages`)
  const [newest, ...fixed] = json.breakages
  expect(newest).toMatchObject({ state: 'open', confidence: 'high' })
  expect(newest.suspects[0].score).toBeGreaterThan(0.5)
  expect(fixed.length).toBeGreaterThan(2)
  expect(new Set(fixed.map(({ state }: { state: string }) => state))).toEqual(new Set(['fixed']))
  const { history } = (await ask(`/api/v1/projects/${access.projectId}/breakages/${newest.id}`)).json
  expect(history).toMatchObject([{ kind: 'opened', at: newest.opened_at }])
  const told = await studio.db.one(sql`select count(*) as events from outbox`)
  expect(told).toEqual({ events: 0 })
})

test('the demo has a reopened breakage, a flaky test and a preflight', async () => {
  const { json } = await ask(`/api/v1/projects/${access.projectId}/breakages?limit=100`)
  const breakages: { reopened_count: number; flaky: boolean; jobs: string[]; evidence: { text: string }[] }[] = json.breakages
  expect(breakages.filter(({ reopened_count, flaky }) => reopened_count > 0 && !flaky).length).toBeGreaterThan(0)
  expect(breakages.filter(({ flaky }) => flaky).map(({ jobs }) => jobs)).toEqual([
    ['cinder-functional-tests'],
    ['cinder-server-linux-debug'],
  ])
  const builds = (await ask(`/api/v1/projects/${access.projectId}/build_runs?limit=100`)).json.build_runs as {
    kind: string | null
  }[]
  expect(builds.filter(({ kind }) => kind === 'preflight')).toHaveLength(2)
})

test('one agent is suspicious, and its failures are nobody’s fault', async () => {
  const { agents } = (await ask(`/api/v1/projects/${access.projectId}/agents`)).json
  expect(agents.filter(({ suspicious }: { suspicious: boolean }) => suspicious)).toMatchObject([
    { name: 'BUILD-07', muted: null },
  ])
  const failed = (await ask(`/api/v1/projects/${access.projectId}/build_runs?status=failed&limit=100`)).json.build_runs
  const [newest] = failed.filter(({ agent }: { agent: string }) => agent === 'BUILD-07')
  const { investigation } = (await ask(`/api/v1/projects/${access.projectId}/build_runs/${newest.id}`)).json
  expect(investigation).toMatchObject({ attributed_user_id: null, suspects: [], who_acts: 'machine', retry_may_help: true })
})

test('a package is over its budget, and the asset that grew is named', async () => {
  const { alerts } = (await ask(`/api/v1/projects/${access.projectId}/measures/budgets`)).json
  expect(alerts).toMatchObject([
    {
      kind: 'exceeded',
      name: 'package',
      job: 'cinder-nightly-shipping',
      grown: [{ path: 'CinderCoast/Content/Audio/Music/MX_TideSuite' }],
    },
  ])
})

test('tests are flaky, in quarantine and fixed', async () => {
  const { flaky, failing, quarantined } = (await ask(`/api/v1/projects/${access.projectId}/tests`)).json
  const names = (tests: { name: string }[]) => tests.map(({ name }) => name)
  expect(names(flaky).toSorted()).toEqual(['Host migration', 'Second player joins'])
  expect(names(quarantined)).toEqual(['Second player joins'])
  const fixed = failing.find(({ name }: { name: string }) => name === 'Boss enters phase two')
  const { runs, branches } = (await ask(`/api/v1/projects/${access.projectId}/tests/${fixed.id}`)).json
  expect(runs.map(({ outcome }: { outcome: string }) => outcome)).toContain('failed')
  expect(branches).toMatchObject([{ branch: '//cinder/main', failing: false, flaky: false }])
})

test('a finished build has phases, every integration had deliveries, and the owner’s inbox has notifications', async () => {
  const { json } = await ask(`/api/v1/projects/${access.projectId}/build_runs?status=failed&limit=1`)
  const { steps } = (await ask(`/api/v1/projects/${access.projectId}/build_runs/${json.build_runs[0].id}`)).json
  expect(steps.length).toBeGreaterThan(0)
  expect(steps.at(-1)).toMatchObject({ status: 'failed' })
  const owner = await signIn(studio, access.email, access.password)
  const { integrations } = (await owner.app(`/projects/${access.projectId}/integrations`)).json
  expect(integrations.length).toBeGreaterThan(3)
  const silent = await studio.db.rows(sql`
    select i.provider from integrations i where not exists (select from deliveries d where d.integration_id = i.id)`)
  expect(silent).toEqual([])
  const inbox = (await owner.app('/me/notifications')).json
  expect(inbox.notifications.length).toBeGreaterThan(5)
  expect(inbox.unread).toBeGreaterThan(0)
  expect(await studio.db.rows(sql`select from mails`)).toEqual([])
})

test('a failed build shows its suspect', async () => {
  const builds = `/api/v1/projects/${access.projectId}/build_runs`
  const { json } = await ask(`${builds}?status=failed&limit=1`)
  const { investigation_id } = (await ask(`${builds}/${json.build_runs[0].id}/investigate`, { method: 'POST' })).json
  await runInvestigation(studio.db, investigation_id)
  const { attributed_user_id, suspects } = (await ask(`${builds}/${json.build_runs[0].id}/investigate`, { method: 'POST' })).json
  expect(attributed_user_id).toBe(suspects[0].user_id)
  expect((await ask(`/api/v1/projects/${access.projectId}/members`)).json.members).toContainEqual(
    expect.objectContaining({ user_id: attributed_user_id }),
  )
})

test('assets that wait have pictures after a while, and a denied one has a comment at a point', async () => {
  // The first ones: each takes a while on a busy machine.
  expect(await hangGallery(studio.service.db, { quotas: studio.service.quotas, limit: 3 })).toBe(3)
  const shown = await studio.db.rows(sql`
    select p.state, p.kind, p.source, p.small_bytes > 500 as has_picture, a.approval_status
    from previews p join assets a on a.account_id = p.account_id and a.id = p.asset_id`)
  expect(shown).toHaveLength(3)
  for (const preview of shown)
    expect(preview).toMatchObject({ state: 'ready', source: 'upload', has_picture: true, approval_status: 'pending' })
  const points = await studio.db.rows(sql`
    select c.body from comments c join assets a on a.account_id = c.account_id and a.id = c.asset_id
    where c.point_x is not null and c.asset_version = a.version and a.approval_status = 'denied' and a.project_id = ${access.projectId}`)
  expect(points).toHaveLength(1)
})

test('a level with a file per actor waits as one entry, and a rule has two stages', async () => {
  const owner = await signIn(studio, access.email, access.password)
  const { approvals } = (await owner.app(`/projects/${access.projectId}/approvals?queue=true`)).json
  const [level, ...others] = approvals.filter(({ queue }: { queue: { level: string | null } }) => queue.level !== null)
  expect(others).toEqual([])
  expect(level.queue).toMatchObject({
    level: '//cinder/main/Content/Maps/NorthPier/L_NorthPier',
    parts: 24,
    stage_number: 0,
    rule: {
      stages: [
        { name: 'review', project_role: 'approver', user_ids: [expect.any(Number)] },
        { name: 'tech', project_role: 'lead', user_ids: [] },
      ],
    },
  })
})

test('tasks are linked to their changes', async () => {
  const { json } = await ask(`/api/v1/projects/${access.projectId}/tasks?state=completed&limit=50`)
  const details = await Promise.all(
    json.tasks.map((task: { id: number }) => ask(`/api/v1/projects/${access.projectId}/tasks/${task.id}`)),
  )
  expect(
    details.filter(({ json: task }) => task.links.changes.length > 0 && task.links.build_runs.length > 0).length,
  ).toBeGreaterThan(5)
})

test('the studio is writable, the showcase is not', async () => {
  const found = await projects()
  const idOf = (name: string) => found.find((project) => project.name === name)!.id
  const write = (id: string) => ask(`/api/v1/projects/${id}/tasks`, { method: 'POST', body: { task: { title: 'Try it' } } })
  expect((await write(idOf('Cinder Coast'))).status).toBe(201)
  const refused = await write(idOf('Cinder Coast (look, do not touch)'))
  expect([refused.status, refused.json.error]).toEqual([403, 'demo_read_only'])
})

test('every installation has its own password', async () => {
  const other = await openStudio()
  const second = await loadDemo(other.db, other.service.vault, new Date())
  await other.close()
  expect(access.password).toMatch(/^\w{16}$/)
  expect(second.password).not.toBe(access.password)
  expect(second.jenkinsPath).toMatch(/^\/webhooks\/jenkins\?token=[0-9a-f]{64}$/)
})

test('a demo that cannot be finished leaves nothing that would prevent the next start from loading it', async () => {
  const other = await openStudio()
  await other.db.execute(sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$`)
  await other.db.execute(sql`create trigger refuse before update of operator on users for each row execute function refuse()`)
  await expect(loadDemo(other.db, other.service.vault, new Date())).rejects.toThrow('not now')
  expect(await other.db.rows(sql`select 1 from accounts`)).toEqual([])
  await other.db.execute(sql`drop trigger refuse on users`)
  await loadDemo(other.db, other.service.vault, new Date())
  await other.close()
})

test('tasks name items of every connected tracker', async () => {
  const owner = await signIn(studio, access.email, access.password)
  const found = new Set<string>()
  for (const { id } of await projects()) {
    const { json } = await ask(`/api/v1/projects/${id}/tasks?limit=50`)
    for (const task of json.tasks)
      for (const { provider } of (await owner.app(`/projects/${id}/tasks/${task.id}/references`)).json.references)
        found.add(provider)
  }
  expect([...found].sort()).toEqual(['asana', 'jira', 'linear', 'monday', 'trello'])
})
