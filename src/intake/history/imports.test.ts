import { afterAll, beforeAll, expect, test } from 'vitest'
import { openAzureDevOps } from '../../../test/support/history/azure-devops.ts'
import { openGitHub } from '../../../test/support/history/github.ts'
import { openGitLab } from '../../../test/support/history/gitlab.ts'
import { type HistoryRoom, openHistoryStudio, openRoom } from '../../../test/support/history/room.ts'
import { type Build, daysAgo, fictionalStudio, type Tool } from '../../../test/support/history/world.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { readImport } from './run-import.ts'
import { startNightlyLooks } from './start-import.ts'

let studio: Studio
let github: Tool
/** Its releases are in the twin worlds. */
const world = { ...fictionalStudio({ commits: 105 }), releases: [] }
const { commits, builds, deployments } = world

beforeAll(async () => {
  studio = await openHistoryStudio()
  github = await openGitHub(world)
})
afterAll(async () => {
  github.close()
  await studio.close()
})

const room = (config: object = {}) => openRoom(studio, { ...github, config: { ...github.config, ...config } })
const outside = () => ({
  db: studio.db,
  vault: studio.service.vault,
  log: studio.service.log,
  allowed: allowedHosts(['127.0.0.1']),
})

test('an undo deletes what only the import told', async () => {
  const { push, build, deploy, world, import: load, app, rows, project, account_id } = await room()
  await push(commits.slice(90))
  await deploy(deployments[0]!)
  // By hand: an import does not undo it.
  await rows(sql`update deployments set status = 'rolled_back' where project_id = ${project}`)
  await build(builds[19]!)
  await workOffAll(studio, account_id)
  const told = await world()
  const { id } = await load()
  expect((await world()).deployments).toMatchObject([
    { external_id: '300', status: 'rolled_back' },
    { external_id: '301' },
    { external_id: '302' },
  ])
  // The tool itself tells one that was imported.
  await push(commits.slice(85, 90))
  await build(builds[15]!)
  await deploy(deployments[1]!)
  expect(await app(`/imports/${id}/undo`, { method: 'POST' })).toMatchObject({ status: 200, json: { state: 'undoing' } })
  await workOffAll(studio, account_id)
  const left = await world()
  expect(left.deployments.slice(0, 1)).toEqual(told.deployments)
  expect(left.deployments).toMatchObject([{ external_id: '300', status: 'rolled_back' }, { external_id: '301' }])
  expect(left.line).toEqual(commits.slice(85).map((commit) => commit.sha))
  expect(left.builds.map(({ external_id }) => external_id)).toEqual(['run:1015', 'run:1019'])
  expect(left.changes.slice(5)).toEqual(told.changes)
  const only = await room()
  await only.push(commits.slice(85))
  expect(left.assets).toEqual((await only.world()).assets)
  expect(await rows(sql`select state from imports where project_id = ${project}`)).toEqual([{ state: 'undone' }])
  expect(await app(`/imports/${id}/undo`, { method: 'POST' })).toMatchObject({ status: 422, json: { error: 'cannot_import' } })
  expect(
    await rows(
      sql`select action from audit_log where action in ('startImport', 'undoImport') and project_id = ${project} order by id`,
    ),
  ).toEqual([{ action: 'startImport' }, { action: 'undoImport' }])
})

test('imported deployments and their statuses have the times of the tool', async () => {
  const { import: load, rows, project } = await room()
  await load()
  const [{ at }] = [deployments[0]!]
  const minutes = (from: unknown) => Math.round((Date.parse(String(from)) - Date.parse(at)) / 60_000)
  const [made] = await rows(sql`select created_at from deployments where project_id = ${project} and external_id = '300'`)
  expect(minutes(made!.created_at)).toBe(-4)
  const told = await rows(sql`
    select h.after, h.at from deployment_history h join deployments d on d.account_id = h.account_id and d.id = h.deployment_id
    where d.project_id = ${project} and d.external_id = '300' and h.kind = 'status' order by h.id`)
  expect(told.map(({ after, at }) => [after, minutes(at)])).toEqual([
    ['pending', -4],
    ['uploading', -3],
    ['rejected', -2],
    ['live', -1],
  ])
})

test('commits without known parents are placed between those that were pushed', async () => {
  const rootless = fictionalStudio()
  for (const commit of rootless.commits) delete commit.parent
  const tool = await openGitHub(rootless)
  const { push, world, import: load } = await openRoom(studio, tool)
  await push(rootless.commits.slice(10, 15))
  await push(rootless.commits.slice(20))
  await load(31)
  tool.close()
  expect((await world()).line).toEqual(rootless.commits.map(({ sha }) => sha))
})

test('commits of a second repository are placed without regard to the first', async () => {
  const star = fictionalStudio()
  const tools = [{ ...star.commits[0]!, sha: 'd'.repeat(40) }]
  const tool = await openAzureDevOps(star, tools)
  const { push, world, import: load } = await openRoom(studio, tool)
  await push(tools)
  await push(star.commits.slice(0, 20))
  await load(31)
  tool.close()
  expect((await world()).line).toEqual([...tools, ...star.commits].map(({ sha }) => sha))
})

test('two accounts import the same repository at once, and each gets all of it', async () => {
  const alone = await room()
  await alone.import()
  const expected = await alone.world()
  const both = [await openRoom(studio, github), await openRoom(studio, github, 'fox')]
  const ended = await Promise.all(both.map(({ import: load }) => load()))
  expect(ended).toMatchObject([{ state: 'done' }, { state: 'done' }])
  for (const { world, noise } of both) {
    expect(await world()).toEqual(expected)
    expect(Object.values(await noise()).flat()).toEqual([])
  }
  const changes = await studio.db.rows<{ account_id: number; project_id: number }>(sql`
    select distinct c.account_id, c.project_id from changes c join projects p on p.id = c.project_id and p.account_id <> c.account_id`)
  expect(changes).toEqual([])
})

test('an import rests after a page, so that other accounts go first, and does not say that GitHub asks it to wait', async () => {
  const { app, rows, id, account_id } = await room()
  const { json } = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })
  await rows(sql`delete from jobs where kind = 'read_import'`)
  await readImport(outside(), { account_id, import_id: json.id })
  expect(
    await rows(sql`
      select j.state, j.run_at > j.created_at and j.run_at <= j.created_at + interval '5 seconds' as rests, i.waits_until
      from jobs j, imports i where j.kind = 'read_import' and i.id = ${json.id}`),
  ).toEqual([{ state: 'scheduled', rests: true, waits_until: null }])
  await workOffAll(studio, account_id)
})

test('the more imports an account runs, the longer each of them rests, for five seconds at most', async () => {
  const { app, rows, id, project, account_id } = await room()
  const { json } = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })
  await rows(sql`
    with others as (
      insert into integrations (account_id, project_id, provider, token_hash, token_sealed)
      select ${account_id}::integer, ${project}::integer, 'github', sha256(n::text::bytea), '' from generate_series(1, 2000) n returning id)
    insert into imports (account_id, project_id, integration_id, since, until)
    select ${account_id}::integer, ${project}::integer, id, now(), now() from others`)
  await rows(sql`delete from jobs where kind = 'read_import'`)
  await readImport(outside(), { account_id, import_id: json.id })
  expect(
    await rows(sql`select (extract(epoch from run_at - created_at))::float8 as seconds from jobs where kind = 'read_import'`),
  ).toEqual([{ seconds: 5 }])
  await rows(sql`update imports set state = 'done' where id <> ${json.id}`)
  await workOffAll(studio, account_id)
})

test('an import waits as long as GitHub asks for, and can be cancelled meanwhile', async () => {
  const { app, rows, project, id, account_id } = await room()
  const start = () => app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })
  const [made] = [(await start()).json]
  expect(await start()).toMatchObject({ status: 422, json: { message: expect.stringContaining('is running') } })
  // Only the reserve for other work is left.
  github.state.remaining = 1001
  const page = async () => {
    // As a worker takes it: one that still waits would keep its time.
    await studio.db.execute(sql`delete from jobs where name = ${`import ${made.id}`}`)
    await readImport(outside(), { account_id, import_id: made.id })
  }
  await page()
  expect(
    await rows(sql`select part, waits_until > now() + interval '9 minutes' as waits from imports where id = ${made.id}`),
  ).toEqual([{ part: 'changes', waits: true }])
  // The limit is used up by others, then the secondary limit is reached: no page is lost.
  github.state.remaining = 0
  await page()
  github.state.remaining = 5000
  github.state.instead = (_, reply) => {
    github.state.instead = undefined
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
      { name: 'deployments', needs: 'Deployments: read', count: null, problem: null },
      { name: 'releases', needs: 'Contents: read', count: null, problem: null },
      { name: 'files', needs: 'Contents: read', count: null, problem: null },
    ],
    minutes: 1,
    problem: null,
  })
})

test('a token without all permissions reads what it may, and a nightly check says it once', async () => {
  const refuse = (isRefused: (path: string) => boolean) => {
    github.state.instead = (path, reply) => {
      if (!isRefused(path)) return false
      reply.writeHead(403).end('{"message":"Resource not accessible by personal access token"}')
      return true
    }
  }
  const { id, app, import: load, rows, work, world } = await room()
  const why = 'No deployments: GitHub does not permit this login to do that (HTTP 403 to /deployments).'
  refuse((path) => path.includes('/deployments'))
  const { parts } = (await app(`/integrations/${id}/import_preview`)).json
  expect(parts.find(({ name }: { name: string }) => name === 'deployments').problem).toContain('does not permit')
  const { state, message, counts } = await load()
  expect({ state, counts }).toMatchObject({ state: 'done', counts: { changes: { added: 105 }, files: { added: 105 } } })
  expect(message).toContain(why)
  expect((await world()).deployments).toEqual([])

  refuse((path) => path.includes('/commits'))
  const other = await room()
  expect(await other.import()).toMatchObject({
    state: 'done',
    counts: { builds: { read: 20, added: 20 }, deployments: { read: 3, added: 3 } },
  })
  refuse((path) => path.includes('/deployments'))

  const night = async () => {
    await rows(sql`update integrations set active = id = ${id}`)
    await startNightlyLooks(studio.db)
    await work()
    await rows(sql`update integrations set active = true`)
    return rows(sql`select state, message from imports where integration_id = ${id} and nightly order by id`)
  }
  const told = await night()
  expect(told).toMatchObject([{ state: 'done', message: expect.stringContaining(why) }])
  expect(await night()).toEqual(told)
  // Nothing at all may be read.
  refuse((path) => path !== '/repos/owl/star')
  const failed = await night()
  expect(failed).toMatchObject([{}, { state: 'failed', message: expect.stringContaining('No changes: GitHub does not permit') }])
  expect(await night()).toEqual(failed)
  // The permissions were added.
  github.state.instead = undefined
  expect(await night()).toEqual([])
  refuse((path) => path.includes('/deployments'))
  expect(await night()).toHaveLength(1)
  github.state.instead = undefined
})

test('recent builds are news: those that a nightly check finds, and those that their tool reports after an import', async () => {
  const young: Build = {
    ...builds[19]!,
    id: 5000,
    number: 500,
    failed: true,
    started: daysAgo(0, -90),
    finished: daysAgo(0, -60),
  }
  builds.push(young)
  const events = ({ rows, project }: HistoryRoom) => rows(sql`select event_type from outbox where project_id = ${project}`)
  const told = await room()
  await told.import()
  expect(await events(told)).toEqual([])
  await told.build(young)
  expect(await events(told)).toEqual([{ event_type: 'build_run.failed' }])

  const looked = await room()
  await looked.push(commits)
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

test('odd answers store nothing, and pages without an end end an import', async () => {
  const tool = await openGitLab(fictionalStudio())
  const { app, rows, id, project, account_id } = await openRoom(studio, tool)
  const { json } = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 31 } })
  const page = () => readImport(outside(), { account_id, import_id: json.id })
  const now = () => rows(sql`select part, pages, state, message from imports where id = ${json.id}`)
  const answers = (body: string, headers: Record<string, string> = {}) => {
    tool.state.instead = (path, reply) => {
      if (path.endsWith('star')) return false
      reply.writeHead(200, headers).end(body)
      return true
    }
  }
  answers('<html>Sign in</html>')
  await expect(page()).rejects.toThrow('GitLab answers with no JSON.')
  expect(await now()).toMatchObject([{ part: 'issues', pages: 0, state: 'running' }])
  // Nothing that could be a record, over and over.
  answers('[null, 7, [], {}, {"iid": null, "id": null, "status": "success"}]', { 'x-next-page': '2' })
  for (let read = 0; read < 3; read++) await page()
  expect(await now()).toMatchObject([{ part: 'issues', pages: 3, state: 'running' }])
  // Neither a pipeline without an id, nor one whose details are no object, nor one without an end.
  const builds = () => rows(sql`update imports set part = 'builds', cursor = '{}' where id = ${json.id}`)
  await builds()
  tool.state.instead = (path, reply) => {
    const body = { id: 1, iid: 1, status: 'success' }
    reply.end(
      JSON.stringify(
        path.endsWith('/pipelines')
          ? [body]
          : path.endsWith('/jobs')
            ? []
            : { ...body, default_branch: 'main', path_with_namespace: 'owl/star' },
      ),
    )
    return true
  }
  await page()
  expect(await rows(sql`select id from build_runs where project_id = ${project}`)).toEqual([])
  await builds()
  answers('[{"status": "success"}, {"id": 1, "status": "success"}, {"id": 2, "iid": null, "status": "failed"}]')
  await page()
  expect(await now()).toMatchObject([{ part: 'deployments', pages: 5, state: 'running' }])
  expect(await rows(sql`select id from build_runs where project_id = ${project}`)).toEqual([])
  await rows(sql`update imports set part = 'changes', cursor = '{}', pages = 200000 where id = ${json.id}`)
  answers('[]', { 'x-next-page': '9' })
  await page()
  expect(await now()).toMatchObject([{ state: 'failed', message: 'GitLab lists more than 200000 pages.' }])
  tool.close()
})

test('a server that lists thousands of records on one page ends the import before they are stored', async () => {
  const tool = await openGitLab(fictionalStudio())
  const { app, id, rows, project, account_id } = await openRoom(studio, tool)
  const { json } = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 31 } })
  const issues = (count: number) => {
    const listed = Array.from({ length: count }, (_, at) => ({ id: at + 1, iid: at + 1, title: 'Paint', state: 'opened' }))
    tool.state.instead = (path, reply) => {
      if (!path.includes('/issues')) return false
      reply.writeHead(200, { 'x-next-page': '2' }).end(JSON.stringify(listed))
      return true
    }
  }
  const page = () => readImport(outside(), { account_id, import_id: json.id })
  const now = () => rows(sql`select state, message, pages from imports where id = ${json.id}`)
  issues(100)
  await page()
  expect(await now()).toMatchObject([{ state: 'running', pages: 1 }])
  issues(2_001)
  await page()
  expect(await now()).toMatchObject([{ state: 'failed', message: 'GitLab lists more than 2000 records on one page.' }])
  expect(await rows(sql`select from changes where project_id = ${project}`)).toEqual([])
  tool.close()
})

test('changes with thousands of files are stored before the files of others are asked for', async () => {
  const tool = await openGitLab({ ...world, commits: commits.slice(-3), builds: [], deployments: [] })
  const { app, id, rows, project, account_id } = await openRoom(studio, tool)
  const files = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({ new_path: `Content/a${at}.c`, new_file: true })))
  const storedBefore: number[] = []
  tool.state.instead = (path, reply) => {
    if (!path.includes('/diff')) return false
    void rows(sql`select from changes where project_id = ${project} and files is not null`).then((stored) => {
      const isFirst = storedBefore.push(stored.length) === 1
      reply.writeHead(200, { 'content-type': 'application/json' }).end(files(isFirst ? 20_000 : 1))
    })
    return true
  }
  expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })).toMatchObject({ status: 201 })
  await workOffAll(studio, account_id)
  expect(await rows(sql`select state from imports where project_id = ${project}`)).toEqual([{ state: 'done' }])
  expect(storedBefore).toEqual([0, 1, 1])
  tool.close()
})

test('files of a change stay unknown if their list never ends, and the import goes on', async () => {
  const tool = await openGitLab({ ...world, commits: commits.slice(-3), builds: [], deployments: [] })
  const { app, id, rows, project, account_id } = await openRoom(studio, tool)
  const endless = commits.at(-2)!.sha
  let asked = 0
  tool.state.instead = (path, reply) => {
    if (!path.includes(`/commits/${endless}/diff`)) return false
    asked++
    reply
      .writeHead(200, { 'content-type': 'application/json', 'x-next-page': String(asked + 1) })
      .end(JSON.stringify([{ new_path: `a${asked}`, new_file: true }]))
    return true
  }
  expect(await app(`/integrations/${id}/imports`, { method: 'POST', body: { days: 90 } })).toMatchObject({ status: 201 })
  await workOffAll(studio, account_id)
  expect(await rows(sql`select state, pages > 30 as counted from imports where project_id = ${project}`)).toEqual([
    { state: 'done', counted: true },
  ])
  expect(asked).toBe(30)
  const known = await rows(sql`
    select identifier from changes where project_id = ${project} and files is not null order by identifier`)
  expect(known.map(({ identifier }) => identifier)).toEqual([commits.at(-3)!.sha, commits.at(-1)!.sha].toSorted())
  tool.close()
})
