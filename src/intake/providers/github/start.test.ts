import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FakeJenkins, json, openJenkins } from '../../../../test/support/servers/jenkins.ts'
import type { Studio } from '../../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../../test/support/studios/branch-room.ts'
import { workOffAll } from '../../../../test/support/work-off.ts'
import { sql } from '../../../db/database.ts'

let studio: Studio
let server: FakeJenkins
beforeAll(async () => {
  studio = await openBranchStudio()
})
afterAll(() => studio.close())
beforeEach(async () => {
  server = await openJenkins()
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  server.close()
})

const API = '/repos/owl/star'
const DISPATCH = `POST ${API}/actions/workflows/5/dispatches`
const WORKFLOW = `name: Game
run-name: \${{ inputs.commit && format('Bisect {0}', inputs.commit) || '' }}
on: { push: {}, workflow_dispatch: { inputs: { commit: { type: string } } } }
`
const LOG = `2026-11-18T01:00:00.0000000Z ##[group]Run make game
2026-11-18T01:00:01.0000000Z lib/mystery.c:54:3: error: 'mystery' undeclared
2026-11-18T01:00:01.0000000Z make: *** [game] Error 1
2026-11-18T01:00:02.0000000Z ##[error]Process completed with exit code 2.
`
const commit = (at: number) => String(at).padStart(40, 'a')

/** A repository on a GitHub that builds any commit as soon as its webhooks were sent, and a breakage that nobody is named for. */
async function room({ changes = 8, culprit = 5, file = WORKFLOW, lost = 0 } = {}) {
  const made = await branchRoom(studio)
  await studio.db.execute(sql`
    update integrations set config = ${JSON.stringify({ server: `${server.url}${API}`, api_token: 'secret' })}::jsonb
    where project_id = ${made.project} and provider = 'github'`)
  await studio.db.execute(sql`update projects set bisect_builds_per_day = 50 where id = ${made.project}`)
  const asked: string[] = []
  const runs: Record<string, unknown>[] = []
  const run = async (built: string, more: object) => {
    const number = runs.length + 1
    const failed = built >= commit(culprit)
    const entry = {
      id: 1000 + number,
      name: 'Game',
      run_number: number,
      head_branch: 'main',
      head_sha: built,
      conclusion: failed ? 'failure' : 'success',
      html_url: `https://github.com/owl/star/actions/runs/${1000 + number}`,
      created_at: new Date().toISOString(),
      ...more,
    }
    runs.unshift(entry)
    server.answers[`${API}/actions/runs/${entry.id}/jobs`] = json(() => ({
      jobs: [
        { id: 1, conclusion: 'success', completed_at: '2026-11-18T00:00:00Z' },
        { id: 2, conclusion: failed ? 'failure' : 'success', completed_at: '2026-11-18T01:00:00Z' },
      ],
    }))
    return entry
  }
  const report = (workflow_run: object) =>
    made.github('workflow_run', {
      action: 'completed',
      workflow: { name: 'Game' },
      workflow_run,
      repository: { full_name: 'owl/star' },
    })
  const reports: object[] = []
  server.answers[`${API}/actions/workflows`] = json(() => ({
    workflows: [{ id: 5, name: 'Game', path: '.github/workflows/game.yml', state: 'active' }],
  }))
  server.answers[`${API}/contents/.github/workflows/game.yml`] = (_, reply) => reply.end(file)
  server.answers[`${API}/actions/workflows/5/runs`] = json(() => ({ workflow_runs: runs }))
  server.answers[`${API}/actions/jobs/2/logs`] = (_, reply) =>
    reply.writeHead(302, { location: `${server.url}/blob?sig=x` }).end()
  server.answers['/blob'] = (_, reply) => reply.end(LOG)
  server.answers[`${API}/actions/workflows/5/dispatches`] = async (_, reply) => {
    const { ref, inputs } = JSON.parse(server.bodies.at(-1)!)
    expect(ref).toBe('main')
    asked.push(inputs.commit)
    // The head of a dispatched run is that of the branch.
    const head = { event: 'workflow_dispatch', head_sha: commit(changes), display_title: `Bisect ${inputs.commit}` }
    reports.push(await run(inputs.commit, head))
    if (lost-- > 0) reply.destroy()
    else reply.writeHead(204).end()
  }
  await made.push(
    'main',
    Array.from({ length: changes + 1 }, (_, at) => commit(at)),
  )
  await report(await run(commit(0), { event: 'push', display_title: 'Work' }))
  await report(await run(commit(changes), { event: 'push', display_title: 'Work' }))
  await workOffAll(studio, made.owner.account_id)
  const [breakage] = await made.breakages()
  const path = `/breakages/${breakage!.id}`
  return {
    ...made,
    asked,
    start: () => made.api(`${path}/bisection`, { method: 'POST' }),
    show: async () => (await made.api(path)).json,
    /** Runs the jobs and delivers the webhooks of the runs that they start. */
    async work() {
      do {
        for (const each of reports.splice(0)) await report(each)
        await workOffAll(studio, made.owner.account_id)
      } while (reports.length > 0)
    },
  }
}

test('GitHub builds commits until the first bad one is found', async () => {
  const { start, show, work, asked, health } = await room()
  const before = await health('main')
  expect(await start()).toMatchObject({ status: 201, json: { bisection: { status: 'running', change_count: 8 } } })
  await work()
  const { bisection, state } = await show()
  expect(bisection).toMatchObject({ status: 'found', found_change: { identifier: commit(5) } })
  expect(bisection.builds.map(({ change }: { change: { identifier: string } }) => change.identifier)).toEqual(asked)
  // Although every run has the head of the branch, none counts as a build of it.
  expect([state, await health('main')]).toEqual(['open', before])
  expect(
    await studio.db.rows(sql`select count(*)::integer as builds, bool_and(build_number <> '') as numbered
    from build_runs where kind = 'bisect' group by project_id`),
  ).toEqual([{ builds: asked.length, numbered: true }])
})

test('the log of a failed run is fetched, and its storage does not get the token', async () => {
  const { breakages } = await room()
  expect((await breakages())[0]).toMatchObject({ category: 'compile_error' })
  const blob = server.calls.indexOf('GET /blob?sig=x')
  expect(server.headers[blob]!.authorization).toBeUndefined()
  expect(server.headers[server.calls.findIndex((call) => call.endsWith('/actions/jobs/2/logs'))]!.authorization).toBe(
    'Bearer secret',
  )
})

test('an attempt whose answer was lost does not start a second run', async () => {
  const { start, asked, owner } = await room({ lost: 1 })
  await start()
  await expect(workOffAll(studio, owner.account_id)).rejects.toThrow('is away')
  const [build] = await studio.db.rows<{ id: number }>(sql`select id from build_runs where phase = 'starting'`)
  const { serverJobs } = await import('../jobs.ts')
  const { allowedHosts } = await import('../../../net/addresses.ts')
  const { db, vault, log } = studio.service
  const outside = { db, vault, log, allowed: allowedHosts(['127.0.0.1']) }
  await serverJobs.start_github(outside, { account_id: owner.account_id, build_run_id: build!.id })
  expect(asked).toHaveLength(1)
})

test.each([['its name has no commit', { file: 'name: Game\non: workflow_dispatch\n' }, "can't build a given commit"]])(
  'a workflow is not started if %s',
  async (_, made, reason) => {
    const { start, show, work, asked } = await room(made)
    await start()
    await work()
    expect((await show()).bisection).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) })
    expect(asked).toEqual([])
  },
)

test.each([
  [401, 'does not accept the login'],
  [403, 'does not permit'],
  [404, 'does not have it'],
  [422, 'refuses the request'],
])('an answer %i ends the search with the reason', async (status, reason) => {
  const { start, show, work } = await room()
  server.answers[`${API}/actions/workflows/5/dispatches`] = (_, reply) => reply.writeHead(status).end('{}')
  await start()
  await work()
  const { bisection } = await show()
  expect(bisection).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) })
  expect(bisection.reason).toContain('Actions: read and write')
})

test.each([
  ['a server error', 503, () => ({ 'retry-after': '120' }), 120],
  ['too many requests', 429, () => ({ 'retry-after': '30' }), 30],
  [
    'the end of the quota',
    403,
    () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(Date.now() / 1000 + 900) }),
    900,
  ],
])('after %s the start is repeated when GitHub asks for it', async (_, status, headers: () => OutgoingHttpHeaders, seconds) => {
  const { start, show, owner } = await room()
  server.answers[`${API}/actions/workflows/5/dispatches`] = (_, reply) => reply.writeHead(status, headers()).end()
  await start()
  const failure = await workOffAll(studio, owner.account_id).catch((error) => error)
  expect(failure.retryAfter).toBeGreaterThan(seconds - 60)
  expect(failure.retryAfter).toBeLessThanOrEqual(seconds)
  expect((await show()).bisection.status).toBe('running')
  expect(server.calls.filter((call) => call === DISPATCH)).toHaveLength(1)
})
