import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { isOnSeveralServers } from '../../../test/support/database.ts'
import { openGitHub } from '../../../test/support/servers/github-server.ts'
import type { Studio } from '../../../test/support/studio.ts'
import { type BranchRoom, branchRoom, openBranchStudio } from '../../../test/support/studios/branch-room.ts'
import { workOffAll } from '../../../test/support/work-off.ts'
import { sql } from '../../db/database.ts'
import { allowedHosts } from '../../net/addresses.ts'
import { writeBack } from './write-back.ts'

let studio: Studio
let github: Awaited<ReturnType<typeof openGitHub>>
beforeAll(async () => {
  studio = await openBranchStudio({ service: { allowedHosts: (host) => host === '127.0.0.1' } })
})
afterAll(() => studio.close())
beforeEach(async () => {
  github = await openGitHub()
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  github.close()
})

/** A repository with the commits c1 and c2 on main and a pull request 16 with f1, whose builds a Jenkins reports. */
async function room({ on = true } = {}) {
  const made = await branchRoom(studio)
  const { integrations } = (await made.api('/integrations')).json
  const { id } = integrations.find(({ provider }: { provider: string }) => provider === 'github')
  const edit = (body: object) => made.api(`/integrations/${id}`, { method: 'PATCH', body })
  await edit({ config: { server: `${github.url}/repos/owl/star`, api_token: 'secret' } })
  const turn = (write_back: boolean) => made.api(`/integrations/${id}/write_back`, { method: 'POST', body: { write_back } })
  const page = async () => (await made.api(`/integrations/${id}`)).json
  if (on) expect(await turn(true)).toMatchObject({ status: 200, json: { write_back: true, write_back_problem: null } })
  github.writes.length = 0
  for (const commit of ['c1', 'c2', 'c3', 'f1', 'f2', 'f3']) github.commits.add(commit)
  github.pulls.add('16')
  await made.push('main', ['c1', 'c2'])
  await made.push('feature', ['f1', 'f2', 'f3'])
  const work = () => workOffAll(studio, made.owner.account_id)
  const pull = (number: number, more: object = {}) =>
    made.report({ number, branch: 'feature', commit: 'f1', pull_request: 16, target_branch: 'main', ...more })
  return { ...made, id, edit, turn, page, work, pull }
}

const waiting = async () => (await studio.db.rows(sql`select from jobs where kind = 'write_back'`)).length

/** Delivers the webhooks about what was written, and returns what they changed. */
async function echoes({ github: deliver, project }: BranchRoom): Promise<number> {
  const count = async () =>
    (await studio.db.one<{ rows: number }>(sql`
      select (select count(*) from build_runs where project_id = ${project}) + (select count(*) from changes where project_id = ${project})
        + (select count(*) from external_references where project_id = ${project}) + (select count(*) from build_steps)
        + (select count(*) from jobs) + (select count(*) from outbox) as rows`))!.rows
  const before = await count()
  for (const [event, body] of github.hooks.splice(0)) expect((await deliver(event, body)).records ?? []).toEqual([])
  return (await count()) - before
}

test('nothing is written before somebody switches it on', async () => {
  const { report, work, page, turn } = await room({ on: false })
  expect(await page()).toMatchObject({ write_back: false, write_back_problem: null })
  await report({ number: 1, branch: 'main', commit: 'c2', broken: 'c2' })
  await work()
  expect([github.writes, await waiting()]).toEqual([[], 0])
  await turn(true)
  await turn(false)
  github.writes.length = 0
  await report({ number: 2, branch: 'main', commit: 'c2' })
  await work()
  expect(github.writes).toEqual([])
})

test('a missing permission refuses the switch and is named', async () => {
  const { turn, page, edit } = await room({ on: false })
  const refused = async (words: string) => {
    expect(await turn(true)).toMatchObject({
      status: 422,
      json: { error: 'cannot_write_back', message: expect.stringContaining(words) },
    })
    expect(await page()).toMatchObject({ write_back: false })
  }
  github.permits.statuses = false
  await refused('lacks the permission Commit statuses: read and write.')
  github.permits.pulls = false
  await refused('Commit statuses: read and write and Pull requests: read and write.')
  github.permits.statuses = true
  await refused('lacks the permission Pull requests: read and write.')
  github.permits.pulls = true
  github.scopes = 'repo:status, read:org'
  await refused('lacks the scope repo')
  github.token = 'other'
  await refused('does not accept the login')
  github.token = 'secret'
  github.isVisible = false
  await refused("can't see it")
  github.isVisible = true
  await edit({ config: { server: github.url, api_token: 'secret' } })
  await refused('must end in /repos/')
  await edit({ config: {} })
  await refused('under Server access first')
  expect([github.statuses, github.comments]).toEqual([[], []])
  await edit({ config: { server: `${github.url}/repos/owl/star`, api_token: 'secret' } })
  github.scopes = 'repo'
  expect((await turn(true)).status).toBe(200)
  const entries = await studio.db.rows(sql`select after ->> 'write_back' as on from audit_log where action = 'switchWriteBack'`)
  expect(entries.at(-1)).toEqual({ on: 'true' })
})

test('a build of any CI sets a status with its cause, without private text, and one at a foreign commit does not', async () => {
  const made = await room()
  const { report, work } = made
  const build = await report({ number: 1, branch: 'main', commit: 'c2' })
  // It is queued by the transaction of the report and due at once. On several servers the two have no common number for it.
  const together = isOnSeveralServers() ? sql`true` : sql`j.xmin::text = b.xmin::text`
  expect(
    await studio.db.rows(sql`
      select ${together} as together, j.run_at <= goldmaster_now() as due from jobs j, build_runs b
      where j.kind = 'write_back' and b.id = ${build}`),
  ).toEqual([{ together: true, due: true }])
  await work()
  expect(github.statuses).toMatchObject([
    {
      sha: 'c2',
      context: 'goldmaster/Cook',
      state: 'success',
      description: 'The build passed.',
      target_url: `https://gold.example/projects/${made.project}/builds/${build}`,
    },
  ])
  const log = `/home/kimberley/work/src/door.c:5:1: error: unknown type name 'ann@example.com' ${'x'.repeat(200)}\nmake: *** [game] Error 1\n`
  await report({ number: 2, job: 'Test', branch: 'main', commit: 'c2', status: 'failed', log })
  await work()
  const { state, description } = github.statuses.at(-1)!
  expect(state).toBe('failure')
  expect(description).toContain('door.c')
  expect(description).not.toMatch(/kimberley|example\.com/)
  await report({ number: 3, branch: 'main', commit: 'c2', status: 'cancelled' })
  await work()
  expect(github.statuses.at(-1)).toMatchObject({ state: 'error', context: 'goldmaster/Cook' })
  const count = github.statuses.length
  await report({ number: 4, branch: 'main', commit: 'elsewhere' })
  await report({ number: 5, branch: 'main', commit: 'c2', kind: 'bisect' })
  await made.push('main', ['t1'], { repository: { full_name: 'owl/tools', html_url: 'https://github.com/owl/tools' } })
  github.commits.add('t1')
  await report({ number: 6, branch: 'main', commit: 't1' })
  await work()
  expect(github.statuses).toHaveLength(count)
  expect(github.comments).toEqual([])
})

test('a status follows what the tests of the build say', async () => {
  const { report, work, tests, api } = await room()
  await api('/settings', { method: 'PATCH', body: { test_gate: { fails_on: 'failures', jobs: [] } } })
  await report({ number: 1, branch: 'main', commit: 'c2' })
  await work()
  expect(github.statuses.at(-1)).toMatchObject({ state: 'success' })
  await tests({ number: 1 }, { opens: 'the door stays shut' })
  await work()
  expect(github.statuses.at(-1)).toMatchObject({ state: 'failure', description: expect.stringContaining('opens') })
  const { id } = (await studio.db.one<{ id: string }>(sql`select max(id)::text as id from test_cases`))!
  await api(`/tests/${id}`, {
    method: 'PATCH',
    body: { quarantined_until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'known' },
  })
  await work()
  expect(github.statuses.at(-1)).toMatchObject({ state: 'success', description: 'The build passed.' })
})

test('a pull request has one comment, edited in place, that says what is not by the change', async () => {
  const made = await room()
  const { report, work, pull, push } = made
  await push('main', ['c3'], { before: 'c2' })
  await report({ number: 1, branch: 'main', commit: 'c3', broken: 'c3' })
  await report({ number: 1, job: 'Test @ann', branch: 'main', commit: 'c3' })
  await work()
  // Somebody else writes a comment with our mark.
  const forged = { id: 5, pull: '16', body: `<!-- goldmaster:project:${made.project} -->\nAll good`, user: { id: 4 } }
  github.comments.push(forged)
  await pull(2)
  await work()
  expect(github.comments.shift()).toEqual({ ...forged, body: expect.stringContaining('All good') })
  expect(github.comments).toHaveLength(1)
  const [comment] = github.comments
  expect(comment!.body).toContain('passed')
  await pull(3, { commit: 'f2', broken: 'c3' })
  await work()
  expect(github.statuses.at(-1)).toMatchObject({ sha: 'f2', state: 'failure' })
  expect(github.statuses.at(-1)!.description).toMatch(
    /^Not by this change: main is already broken for this cause: breakage #\d+\.$/,
  )
  expect(comment!.body).toMatch(/`Cook` failed, not by this change: `main is already broken/)
  await pull(4, { job: 'Test @ann', commit: 'f2', broken: 'f2' })
  await work()
  expect(comment!.body).toContain('`Test @ann` failed by this change')
  const said = comment!.body
  expect(said.replaceAll(/`[^`]*`/g, '')).not.toMatch(/@|#\d/)
  // Another repository has a pull request of this number.
  await push('feature', ['t1'], { repository: { full_name: 'owl/tools', html_url: 'https://github.com/owl/tools' } })
  await pull(7, { job: 'Lint', commit: 'f2' })
  await pull(8, { job: 'Lint', commit: 't1' })
  await work()
  expect(github.comments).toEqual([{ ...comment, body: said }])
  expect(await echoes(made)).toBe(0)
  // Somebody deletes the comment: none is written again.
  github.comments.length = 0
  await pull(5, { commit: 'f3' })
  await work()
  await pull(6, { commit: 'f3', job: 'Test' })
  await work()
  expect(github.comments).toEqual([])
  expect(await made.page()).toMatchObject({ write_back_problem: null })
})

test('a comment is edited once the failure turns out to be of the branch, and when a person clears the change', async () => {
  const { report, work, pull, push, api } = await room()
  await report({ number: 1, branch: 'main', commit: 'c2' })
  await push('main', ['c3'], { before: 'c2' })
  await pull(2, { broken: 'c3' })
  await work()
  const said = () => github.comments[0]!.body
  expect(said()).toContain('`Cook` no verdict: `The job has no result at the change of main that this was built on.`')
  await report({ number: 3, branch: 'main', commit: 'c3', broken: 'c3' })
  await work()
  expect(said()).toContain('`Cook` failed, not by this change: `main is already broken')
  expect(github.statuses.findLast(({ sha }) => sha === 'f1')!.description).toContain('Not by this change')
  await push('main', ['c4'], { before: 'c3' })
  await report({ number: 4, branch: 'main', commit: 'c4' })
  await report({ number: 4, job: 'Test', branch: 'main', commit: 'c4' })
  await work()
  expect(said()).toContain('`Cook` failed, not by this change: `main was broken for this cause when this was built')

  const build = await pull(5, { job: 'Test', broken: 'f1' })
  await work()
  expect(said()).toContain('`Test` failed by this change')
  const [{ change_id }] = (await api(`/build_runs/${build}`)).json.investigation.suspects
  await api(`/build_runs/${build}/correction`, { method: 'PATCH', body: { cleared_change_ids: [change_id] } })
  await work()
  expect(said()).toContain('`Test` failed, not by this change: `A person found that this change is not the cause.`')
  expect(github.comments).toHaveLength(1)
})

test('a refusal later is shown and stops all writing until somebody checks again', async () => {
  const { report, work, page, turn } = await room()
  github.permits.statuses = false
  await report({ number: 1, branch: 'main', commit: 'c2' })
  await work()
  expect(await page()).toMatchObject({ write_back: true, write_back_problem: expect.stringContaining('Commit statuses') })
  expect(github.writes).toHaveLength(1)
  await report({ number: 2, branch: 'main', commit: 'c2', broken: 'c2' })
  await work()
  expect([github.writes.length, await waiting()]).toEqual([1, 0])
  github.permits.statuses = true
  expect((await turn(true)).json).toMatchObject({ write_back_problem: null })
  await report({ number: 3, branch: 'main', commit: 'c2' })
  await work()
  expect(github.statuses).toHaveLength(1)
  github.isVisible = false
  await report({ number: 4, branch: 'main', commit: 'c1' })
  await work()
  expect(await page()).toMatchObject({ write_back_problem: expect.stringContaining('404') })
})

test('a limit and a lost reply are repeated later, and the result is written once', async () => {
  const { report, work, pull, page } = await room()
  github.limitedSeconds = 60
  await report({ number: 1, branch: 'main', commit: 'c2' })
  await expect(work()).rejects.toMatchObject({ retryAfter: 60 })
  github.limitedSeconds = 0
  const again = async (build: number) => {
    const { enqueueWriteBack } = await import('../../domain/integrations/write-backs.ts')
    const found = (await studio.db.one<never>(
      sql`select account_id, id as integration_id, config from integrations where id = (select max(id) from integrations where provider = 'github')`,
    ))!
    await enqueueWriteBack(studio.db, found, build)
    await work()
  }
  const build = (await studio.db.one<{ id: number }>(sql`select max(id) as id from build_runs`))!.id
  await again(build)
  await again(build)
  expect(github.statuses).toHaveLength(1)
  github.losesNextReply = true
  const preflight = await pull(2)
  await expect(work()).rejects.toThrow()
  await again(preflight)
  expect(github.statuses.filter(({ sha }) => sha === 'f1')).toHaveLength(1)
  expect(github.comments).toHaveLength(1)
  expect(await page()).toMatchObject({ write_back_problem: null })
})

/** A place where work waits until it is released. */
const hold = () => {
  let reach = () => {}
  let release = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const wait = () => {
    reach()
    return released
  }
  return { reached, release, wait }
}

test('a job that a slow server held up leaves the comment to the job that took over', async () => {
  const { report, work, pull, owner, id: integration_id } = await room()
  await report({ number: 1, branch: 'main', commit: 'c2' })
  await work()
  const key = { account_id: owner.account_id, integration_id, build_run_id: await pull(2) }
  const { db, service } = studio
  const write = () =>
    writeBack({ db, vault: service.vault, allowed: allowedHosts(['127.0.0.1']), site: 'https://gold.example' }, key)
  // The first job waits for the list of comments, the second one for the reply to its new comment.
  const [list, create] = [hold(), hold()]
  const held = new Map([
    ['GET /repos/owl/star/issues/16/comments', list],
    ['POST /repos/owl/star/issues/16/comments', create],
  ])
  github.beforeReply = async (request) => {
    const first = held.get(request)
    held.delete(request)
    await first?.wait()
  }
  const first = write()
  await list.reached
  await db.execute(sql`update write_backs set busy_until = goldmaster_now() - interval '1 second' where busy_until is not null`)
  const second = write()
  await create.reached
  list.release()
  await first
  // It has not released the claim of the other one either.
  await write()
  expect(github.comments).toEqual([])
  create.release()
  await second
  await work()
  expect(github.comments).toHaveLength(1)
  expect(github.comments[0]!.body).toContain('passed')
})

/** How many reports the echoes are tried with. */
const UPDATES = Number(process.env.WRITE_BACK_UPDATES ?? 200)

test('the same state is sent once, and many reports and their echoes cause nothing more', {
  timeout: Math.max(240_000, UPDATES * 500),
}, async () => {
  const made = await room()
  for (let number = 1; number <= UPDATES / 2; number++) {
    const build = { status: number % 3 === 0 ? 'failed' : 'success', job: `Job ${number % 4}` }
    await made.pull(number, build)
    if (number % 10 === 0) await made.work()
    // A report that changes nothing of what is written.
    await made.pull(number, { ...build, url: `https://ci.example/${number}` })
    if (number % 10 === 0) expect(await echoes(made)).toBe(0)
  }
  await made.work()
  expect([await echoes(made), await waiting()]).toEqual([0, 0])
  expect(github.comments).toHaveLength(1)
  expect(github.statuses.length).toBeGreaterThan(30)
  expect(new Set(github.statuses.map((status) => JSON.stringify({ ...status, id: 0 }))).size).toBe(github.statuses.length)
})
