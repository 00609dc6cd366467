import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Commit, openGitHubHistory, type Run, runOf } from '../../../test/support/history-github.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { SCOPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { readImport } from './run-import.ts'
import { startNightlyLooks } from './start-import.ts'

let studio: Studio
let github: Awaited<ReturnType<typeof openGitHubHistory>>
const DAY_MS = 86_400_000
const daysAgo = (days: number, minutes = 0) =>
  new Date(Math.floor(Date.now() / 1000) * 1000 - days * DAY_MS + minutes * 60_000).toISOString().replace('.000Z', 'Z')
const sha = (at: number) => at.toString(16).padStart(40, 'c')

/** A month of a small studio: 105 commits, a build for every fifth, every fourth of them failed. */
const commits: Commit[] = Array.from({ length: 105 }, (_, at) => ({
  sha: sha(at),
  message: `Work ${at}`,
  date: daysAgo(30, at * 60),
  files: [
    { filename: `src/part${at % 7}.c`, status: 'modified' },
    { filename: `Art/T_${at % 5}.png`, status: at < 5 ? 'added' : 'modified' },
  ],
}))
const runs: Run[] = Array.from({ length: 20 }, (_, at) => ({
  id: 1000 + at,
  name: at % 2 ? 'Cook' : 'Game',
  run_number: at + 1,
  head_sha: sha(5 * at + 4),
  conclusion: at % 4 === 3 ? 'failure' : 'success',
  created_at: daysAgo(30, (5 * at + 4) * 60 + 5),
  updated_at: daysAgo(30, (5 * at + 4) * 60 + 25),
}))

beforeAll(async () => {
  studio = await openStudio(
    {
      accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )
  github = await openGitHubHistory({ commits, runs })
})
afterAll(async () => {
  github.close()
  await studio.close()
})

/** A project whose GitHub can be told by webhooks and asked by imports. */
async function room(config: object = { api_token: 'secret' }) {
  const account_id = studio.world.accounts.owl!.id as number
  const { projects } = await studio.load({ projects: [{ key: 'p', account: account_id, name: `Room ${Math.random()}` }] })
  const project = projects!.p!.id as number
  const { integrations } = await studio.load({ integrations: [{ key: 'git', project, provider: 'github' }] })
  const { id, webhook_token } = integrations!.git! as { id: number; webhook_token: string }
  await studio.db.execute(sql`
    update integrations set config = ${JSON.stringify({ server: github.server, ...config })}::jsonb where id = ${id}`)
  const token = studio.world.tokens.kim!.token as string
  const app = (path: string, asking: { method?: string; body?: object } = {}) =>
    studio.ask(`/api/v1/projects/${project}${path}`, { token, ...asking })
  const post = (event: string, body: object) =>
    studio.ask(`/webhooks/github?token=${webhook_token}`, { method: 'POST', body, headers: { 'x-github-event': event } })
  const rows = (query: ReturnType<typeof sql>) => studio.db.rows<Record<string, unknown>>(query)
  return {
    id,
    project,
    account_id,
    rows,
    app,
    /** Pushes of five commits each, as webhooks. */
    push: async (from = 0, to = commits.length) => {
      for (let first = from; first < to; first += 5) {
        const pushed = commits.slice(first, Math.min(first + 5, to))
        const answer = await post('push', {
          ref: 'refs/heads/main',
          before: commits[first - 1]?.sha ?? 'b'.repeat(40),
          after: pushed.at(-1)!.sha,
          repository: github.repository,
          sender: { login: 'ann', id: 5 },
          commits: pushed.map(({ sha, message, date, files }) => ({
            id: sha,
            message,
            timestamp: date,
            author: { name: 'Ann', email: 'ann@example.com', username: 'ann' },
            added: files.filter(({ status }) => status === 'added').map(({ filename }) => filename),
            modified: files.filter(({ status }) => status === 'modified').map(({ filename }) => filename),
            removed: [],
          })),
        })
        expect(answer.status).toBe(200)
      }
    },
    run: async (...told: Run[]) => {
      for (const run of told) {
        const body = { action: 'completed', workflow_run: runOf(run, github.repository), workflow: { name: run.name } }
        expect((await post('workflow_run', { ...body, repository: github.repository })).status).toBe(200)
      }
    },
    import: async (days = 90) => {
      const started = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days } })
      expect(started).toMatchObject({ status: 201, json: { state: 'running' } })
      await workOffAll(studio, account_id)
      const { json } = await app(`/integrations/${id}/imports`)
      return json.imports[0]
    },
    /** Everything that is told of the project, in its own order and without our own ids and times of receipt. */
    world: async () => ({
      changes: await rows(sql`
        select c.identifier, c.author, c.description, c.branch, c.timestamp, c.files, c.url, c.file_url, c.asset_count, c.orphaned_at,
          array(select p.branch || ' after ' || p.previous from change_branches p where p.change_id = c.id) as branches
        from changes c where c.project_id = ${project} order by c.identifier`),
      line: (
        await rows(sql`
          select c.identifier from change_branches p join changes c on c.id = p.change_id where p.project_id = ${project} order by p.position`)
      ).map(({ identifier }) => identifier),
      builds: await rows(sql`
        select external_id, status, kind, ci_job_name, build_number, commit_hash, branch, repository, url, started_at, finished_at, duration_seconds,
          inferred_branch, output_log from build_runs where project_id = ${project} order by external_id`),
      assets: await rows(sql`
        select a.path, a.version, c.identifier as last from assets a left join changes c on c.id = a.last_change_id
        where a.project_id = ${project} order by a.path`),
      branches: await rows(sql`select name, told, repository from branches where project_id = ${project} order by name`),
    }),
    /** What people or other tools would have noticed. */
    noise: async () => ({
      outbox: await rows(sql`select event_type from outbox where project_id = ${project}`),
      approvals: await rows(sql`select id from approvals where project_id = ${project}`),
      breakages: await rows(sql`select id from breakages where project_id = ${project}`),
      investigations: await rows(
        sql`select i.id from investigations i join build_runs b on b.id = i.build_run_id where b.project_id = ${project}`,
      ),
      notifications: await rows(sql`select id from notifications where project_id = ${project}`),
    }),
  }
}
const outside = () => ({
  db: studio.db,
  vault: studio.service.vault,
  log: studio.service.log,
  allowed: allowedHosts(['127.0.0.1']),
})
const SILENCE = { outbox: [], approvals: [], breakages: [], investigations: [], notifications: [] }

test('webhooks and imports tell the same, in either order, half and half, and with lost webhooks', async () => {
  const told = await room()
  await told.push()
  await told.run(...runs)
  await workOffAll(studio, told.account_id)
  const expected = await told.world()
  expect(expected.line).toEqual(commits.map((commit) => commit.sha))
  expect(expected.builds).toHaveLength(20)

  const imported = await room()
  expect(await imported.import()).toMatchObject({
    state: 'done',
    counts: { changes: { read: 105, added: 105 }, builds: { read: 20, added: 20 }, files: { read: 105, added: 105 } },
    expected: { changes: 105, builds: 20 },
  })
  expect(await imported.world()).toEqual(expected)
  expect(await imported.noise()).toEqual(SILENCE)
  // A second import changes nothing.
  const before = await imported.rows(sql`select id, updated_at from changes where project_id = ${imported.project} order by id`)
  expect(await imported.import()).toMatchObject({ counts: { changes: { read: 105, added: 0 }, builds: { read: 20, added: 0 } } })
  expect(await imported.rows(sql`select id, updated_at from changes where project_id = ${imported.project} order by id`)).toEqual(
    before,
  )

  const after = await room()
  await after.import()
  await after.push()
  await after.run(...runs)
  await workOffAll(studio, after.account_id)
  expect(await after.world()).toEqual(expected)

  const first = await room()
  await first.push()
  await first.run(...runs)
  await first.import()
  expect(await first.world()).toEqual(expected)

  // Every second push of the second half got lost.
  const half = await room()
  for (let at = 55; at < 105; at += 10) await half.push(at, at + 5)
  await half.run(...runs.filter((_, at) => at % 2 === 0))
  await half.import()
  expect(await half.world()).toEqual(expected)
})

test('an undo deletes what only the import told', async () => {
  const { push, run, world, import: load, app, rows, project, account_id } = await room()
  await push(90)
  await run(runs[19]!)
  await workOffAll(studio, account_id)
  const told = await world()
  const { id } = await load()
  // The tool itself tells one that was imported.
  await push(85, 90)
  await run(runs[15]!)
  expect(await app(`/imports/${id}/undo`, { method: 'POST' })).toMatchObject({ status: 200, json: { state: 'undoing' } })
  await workOffAll(studio, account_id)
  const left = await world()
  expect(left.line).toEqual(commits.slice(85).map((commit) => commit.sha))
  expect(left.builds.map(({ external_id }) => external_id)).toEqual(['run:1015', 'run:1019'])
  expect(left.changes.slice(5)).toEqual(told.changes)
  const only = await room()
  await only.push(85)
  expect(left.assets).toEqual((await only.world()).assets)
  expect(await rows(sql`select state from imports where project_id = ${project}`)).toEqual([{ state: 'undone' }])
  expect(await app(`/imports/${id}/undo`, { method: 'POST' })).toMatchObject({ status: 422, json: { error: 'cannot_import' } })
  expect(
    await rows(
      sql`select action from audit_log where action in ('startImport', 'undoImport') and project_id = ${project} order by id`,
    ),
  ).toEqual([{ action: 'startImport' }, { action: 'undoImport' }])
})

test('an import waits as long as GitHub asks for, and can be cancelled meanwhile', async () => {
  const { app, rows, project, id, account_id } = await room()
  const start = () => app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })
  const [made] = [(await start()).json]
  expect(await start()).toMatchObject({ status: 422, json: { message: expect.stringContaining('is running') } })
  // Only the reserve for other work is left.
  github.state.remaining = 1001
  const page = () => readImport(outside(), { account_id, import_id: made.id })
  await page()
  expect(
    await rows(sql`select part, waits_until > now() + interval '9 minutes' as waits from imports where id = ${made.id}`),
  ).toEqual([{ part: 'changes', waits: true }])
  // The limit is used up by others, then the secondary limit is reached: no page is lost.
  github.state.remaining = 0
  await page()
  github.state.remaining = 5000
  github.state.refuse = (_, reply) => {
    github.state.refuse = undefined
    reply.writeHead(403).end('{"message":"You have exceeded a secondary rate limit."}')
    return true
  }
  await page()
  expect(await rows(sql`select pages, state from imports where id = ${made.id}`)).toEqual([{ pages: 1, state: 'running' }])
  expect(
    await rows(
      sql`select extract(epoch from run_at - now())::integer > 50 as later from jobs where name = ${`import ${made.id}`}`,
    ),
  ).toEqual([{ later: true }])
  expect(await app(`/imports/${made.id}/cancel`, { method: 'POST' })).toMatchObject({ status: 200, json: { state: 'cancelled' } })
  await page()
  expect(await rows(sql`select count(*) from changes where project_id = ${project}`)).toEqual([{ count: 100 }])
  expect(await rows(sql`select id from jobs where name = ${`import ${made.id}`}`)).toEqual([])
})

test('a token that may not read says so before anything is imported', async () => {
  const { app, id } = await room({ api_token: 'wrong' })
  const { json } = await app(`/integrations/${id}/import_preview?days_back=30`)
  expect(json).toMatchObject({ days: 30, parts: [], problem: expect.stringContaining('does not accept the login') })
  expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 30 } })).toMatchObject({
    status: 422,
    json: { error: 'cannot_import', message: json.problem },
  })
  const allowed = await room()
  expect((await allowed.app(`/integrations/${allowed.id}/import_preview`)).json).toEqual({
    days: 90,
    parts: [
      { name: 'changes', needs: 'Contents: read', count: 105, problem: null },
      { name: 'builds', needs: 'Actions: read', count: 20, problem: null },
      { name: 'files', needs: 'Contents: read', count: null, problem: null },
    ],
    minutes: 1,
    problem: null,
  })
})

test('recent builds are news: those that a nightly check finds, and those that their tool reports after an import', async () => {
  const young: Run = {
    ...runs[19]!,
    id: 5000,
    run_number: 500,
    conclusion: 'failure',
    created_at: daysAgo(0, -90),
    updated_at: daysAgo(0, -60),
  }
  github.runs.push(young)
  const events = ({ rows, project }: Awaited<ReturnType<typeof room>>) =>
    rows(sql`select event_type from outbox where project_id = ${project}`)
  const told = await room()
  await told.import()
  expect(await events(told)).toEqual([])
  await told.run(young)
  expect(await events(told)).toEqual([{ event_type: 'build_run.failed' }])

  const looked = await room()
  await looked.push()
  await studio.db.execute(sql`delete from outbox`)
  await studio.db.execute(sql`update integrations set active = id = ${looked.id}`)
  await startNightlyLooks(studio.db)
  await workOffAll(studio, looked.account_id)
  expect(await events(looked)).toContainEqual({ event_type: 'build_run.failed' })
  expect(await looked.rows(sql`select nightly, state, counts from imports where integration_id = ${looked.id}`)).toMatchObject([
    { nightly: true, state: 'done', counts: { builds: { added: 1 } } },
  ])
  // The next night finds nothing, and leaves nothing.
  await startNightlyLooks(studio.db)
  await workOffAll(studio, looked.account_id)
  expect(await looked.rows(sql`select id from imports where integration_id = ${looked.id}`)).toHaveLength(1)
  await studio.db.execute(sql`update integrations set active = true`)
})
