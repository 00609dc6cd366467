import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openGitLab } from '../../../../test/support/servers/gitlab-server.ts'
import type { Studio } from '../../../../test/support/studio.ts'
import { branchRoom, openBranchStudio } from '../../../../test/support/studios/branch-room.ts'
import { workOffAll } from '../../../../test/support/work-off.ts'
import { sql } from '../../../db/database.ts'

let studio: Studio
let gitlab: Awaited<ReturnType<typeof openGitLab>>
beforeAll(async () => {
  studio = await openBranchStudio({ service: { allowedHosts: (host) => host === '127.0.0.1' } })
})
afterAll(() => studio.close())
beforeEach(async () => {
  gitlab = await openGitLab()
})
afterEach(async () => {
  await studio.db.execute(sql`delete from jobs`)
  gitlab.close()
})

/** The project owl/star with the commits c1 and c2 on main and the merge request 16 with f1 and f2, whose builds a Jenkins reports. */
async function room({ on = true, config = {} }: { on?: boolean; config?: object } = {}) {
  const made = await branchRoom(studio)
  const { integrations } = await studio.load({
    integrations: [
      {
        key: 'gitlab',
        project: made.project,
        provider: 'gitlab',
        config: { server: gitlab.url, api_token: 'secret', ...config },
      },
    ],
  })
  const { id, webhook_token } = integrations!.gitlab!
  const deliver = async (body: object) => {
    const { status, json } = await studio.ask(`/webhooks/gitlab?token=${webhook_token}`, {
      method: 'POST',
      body,
      headers: { 'idempotency-key': `${Math.random()}` },
    })
    expect(status).toBe(200)
    return json
  }
  const push = (branch: string, commits: string[], path = 'owl/star') => {
    for (const commit of commits) gitlab.projects.get(path)!.commits.add(commit)
    return deliver({
      object_kind: 'push',
      ref: `refs/heads/${branch}`,
      before: '0'.repeat(40),
      after: commits.at(-1),
      project: { id: gitlab.projects.get(path)!.id, path_with_namespace: path, web_url: `${gitlab.url}/${path}` },
      commits: commits.map((commit) => ({
        id: commit,
        message: `Work ${commit}`,
        author: { name: 'Kim' },
        modified: [`src/${commit}.c`],
      })),
    })
  }
  const turn = (write_back: boolean) => made.api(`/integrations/${id}/write_back`, { method: 'POST', body: { write_back } })
  await push('main', ['c1', 'c2'])
  await push('feature', ['f1', 'f2'])
  for (const { pulls } of gitlab.projects.values()) pulls.add('16')
  if (on) expect(await turn(true)).toMatchObject({ status: 200, json: { write_back: true, write_back_problem: null } })
  return {
    ...made,
    id,
    deliver,
    push,
    turn,
    page: async () => (await made.api(`/integrations/${id}`)).json,
    work: () => workOffAll(studio, made.owner.account_id),
    pull: (number: number, more: object = {}) =>
      made.report({ number, branch: 'feature', commit: 'f1', pull_request: 16, target_branch: 'main', ...more }),
  }
}

type Room = Awaited<ReturnType<typeof room>>

/** Delivers the webhooks about what was written, and returns how many rows they added. */
async function echoes({ deliver, project }: Room): Promise<number> {
  const count = async () =>
    (await studio.db.one<{ rows: number }>(sql`
      select (select count(*) from build_runs where project_id = ${project}) + (select count(*) from changes where project_id = ${project})
        + (select count(*) from external_references where project_id = ${project}) + (select count(*) from build_steps)
        + (select count(*) from jobs) + (select count(*) from outbox) as rows`))!.rows
  const before = await count()
  for (const body of gitlab.hooks.splice(0)) expect((await deliver(body)).records ?? []).toEqual([])
  return (await count()) - before
}

test('a missing scope, role or right to a protected branch refuses the switch and is named', async () => {
  const { turn, page } = await room({ on: false })
  const refused = async (words: string) => {
    expect(await turn(true)).toMatchObject({
      status: 422,
      json: { error: 'cannot_write_back', message: expect.stringContaining(words) },
    })
    expect(await page()).toMatchObject({ write_back: false })
  }
  gitlab.scopes = ['read_api']
  await refused('lacks the scope api')
  gitlab.scopes = ['api']
  gitlab.level = 20
  await refused('lacks the role Developer in owl/star')
  gitlab.level = 30
  gitlab.isStrict = true
  await refused('The branch main of owl/star is protected')
  gitlab.isStrict = false
  gitlab.token = 'other'
  await refused('does not accept the login')
  gitlab.token = 'secret'
  gitlab.projects.delete('owl/star')
  await refused("can't see it")
  expect(gitlab.writes).toEqual([])
  // Nothing reported yet: the token must be a Developer somewhere.
  await studio.db.execute(sql`update changes set url = ''`)
  gitlab.level = 20
  await refused('the role Developer in no project')
  gitlab.level = 30
  expect((await turn(true)).status).toBe(200)
})

test('a build of any CI sets a status beside the commit, but never in a pipeline of GitLab itself', async () => {
  const made = await room()
  const { report, work, deliver } = made
  const build = await report({ number: 1, branch: 'main', commit: 'c2' })
  const log = `/home/kimberley/work/src/door.c:5:1: error: unknown type name 'ann@example.com' ${'x'.repeat(300)}\nmake: *** [game] Error 1\n`
  await report({ number: 2, job: 'Test', branch: 'main', commit: 'c2', status: 'failed', log })
  await work()
  expect(gitlab.statuses.find(({ name }) => name === 'goldmaster/Cook')).toMatchObject({
    project: 'owl/star',
    sha: 'c2',
    status: 'success',
    description: 'The build passed.',
    target_url: `https://gold.example/projects/${made.project}/builds/${build}`,
  })
  const failed = gitlab.statuses.at(-1)!
  expect(failed).toMatchObject({ name: 'goldmaster/Test', status: 'failed' })
  expect(failed.description).toContain('door.c')
  expect(failed.description).not.toMatch(/kimberley|example\.com/)
  expect(new Set(gitlab.pipelines.map(({ source }) => source))).toEqual(new Set(['external']))
  expect(gitlab.pipelines).toHaveLength(1)
  expect(await echoes(made)).toBe(0)
  // Somebody runs a pipeline of GitLab later: the status stays where it was.
  gitlab.pipelines.push({ id: 4, project: 'owl/star', sha: 'c2', source: 'web', status: 'success' })
  await report({ number: 7, branch: 'main', commit: 'c2', status: 'cancelled' })
  await work()
  expect(gitlab.statuses.at(-1)).toMatchObject({ status: 'canceled', pipeline_id: gitlab.pipelines[0]!.id })

  // The pipeline of c1 passes. A failed status in it would make GitLab report that it failed.
  gitlab.pipelines.push({ id: 5, project: 'owl/star', sha: 'c1', source: 'push', status: 'success' })
  const project = { id: 9, path_with_namespace: 'owl/star', web_url: `${gitlab.url}/owl/star` }
  await deliver({
    object_kind: 'pipeline',
    object_attributes: { id: 5, iid: 5, sha: 'c1', ref: 'main', source: 'push', status: 'success' },
    project,
    builds: [],
  })
  const count = gitlab.statuses.length
  await report({ number: 3, branch: 'main', commit: 'c1', broken: 'c1' })
  await report({ number: 4, branch: 'main', commit: 'elsewhere' })
  await report({ number: 5, branch: 'main', commit: 'c2', kind: 'bisect' })
  await work()
  expect(gitlab.statuses).toHaveLength(count)
  expect(gitlab.notes).toEqual([])
  // GitLab doesn't have the commit any more: that is no reason to stop.
  gitlab.projects.get('owl/star')!.commits.delete('f2')
  await report({ number: 6, branch: 'feature', commit: 'f2' })
  await work()
  expect(await made.page()).toMatchObject({ write_back_problem: null })
})

test('a merge request has one note, edited in place, that only the project of the commit gets', async () => {
  const made = await room()
  const { report, work, pull, push, deliver } = made
  await report({ number: 1, branch: 'main', commit: 'c2', broken: 'c2' })
  await work()
  const forged = {
    id: 5,
    project: 'owl/star',
    iid: '16',
    body: `<!-- goldmaster:project:${made.project} -->\nAll good`,
    author: { id: 4 },
  }
  gitlab.notes.push(forged)
  await pull(2)
  await work()
  expect(gitlab.notes).toHaveLength(2)
  const note = gitlab.notes[1]!
  expect(note.body).toContain('passed')
  await pull(3, { commit: 'f2', broken: 'c2', job: '/merge\n/close @ann' })
  await work()
  expect(note.body).toMatch(/`\/merge \/close @ann` failed, not by this change: `main is already broken/)
  // GitLab would execute a line that starts with a slash, and notify whoever an @ names.
  expect(note.body.split('\n').filter((line) => line.startsWith('/'))).toEqual([])
  expect(note.body.replaceAll(/`[^`]*`/g, '')).not.toMatch(/@|[#!]\d/)
  const said = note.body

  // The fork has a merge request of the same number.
  await push('feature', ['e1'], 'eve/star')
  await pull(4, { commit: 'e1', repository: 'owl/star', head_repository: 'eve/star' })
  const fork = { id: 10, path_with_namespace: 'eve/star', web_url: `${gitlab.url}/eve/star` }
  await deliver({
    object_kind: 'pipeline',
    object_attributes: { id: 6, iid: 6, sha: 'e1', ref: 'feature', source: 'merge_request_event', status: 'success' },
    merge_request: { iid: 16, source_project_id: 10, target_project_id: 9, target_branch: 'main' },
    project: fork,
    builds: [],
  })
  gitlab.pipelines.push({ id: 6, project: 'eve/star', sha: 'e1', source: 'merge_request_event', status: 'success' })
  await work()
  expect(gitlab.notes).toEqual([forged, { ...note, body: said }])
  expect(await echoes(made)).toBe(0)

  // Somebody deletes the note: none is written again.
  gitlab.notes.length = 1
  await pull(7, { commit: 'f2' })
  await work()
  await pull(8, { commit: 'f2', job: 'Test' })
  await work()
  expect(gitlab.notes).toEqual([forged])
  expect(await made.page()).toMatchObject({ write_back_problem: null })
})

test('a limit is waited for, a lost reply is written once, and a refusal stops writing', async () => {
  const { report, work, pull, page, owner, id } = await room({ config: { gitlab_project: 'owl/star' } })
  const again = async (build_run_id: number) => {
    const { enqueueWriteBack } = await import('../../../domain/integrations/write-backs.ts')
    await enqueueWriteBack(studio.db, { ...owner, integration_id: id, config: {} }, build_run_id)
    await work()
  }
  gitlab.limitedUntil = Math.floor(Date.now() / 1000) + 600
  const build = await report({ number: 1, branch: 'main', commit: 'c2' })
  const { retryAfter } = await work().then(
    () => ({ retryAfter: 0 }),
    (error: { retryAfter: number }) => error,
  )
  expect(retryAfter).toBeGreaterThan(500)
  gitlab.limitedUntil = 0
  gitlab.losesNextReply = true
  await expect(again(build)).rejects.toThrow()
  await again(build)
  const preflight = await pull(2)
  await work()
  gitlab.losesNextReply = true
  await pull(3, { commit: 'f2' })
  await expect(work()).rejects.toThrow()
  await again(preflight + 1)
  expect(gitlab.statuses.map(({ sha }) => sha)).toEqual(['c2', 'f1', 'f2'])
  expect(gitlab.notes).toHaveLength(1)
  gitlab.level = 10
  await report({ number: 4, branch: 'main', commit: 'c1' })
  await work()
  expect(await page()).toMatchObject({ write_back: true, write_back_problem: expect.stringContaining('role Developer') })
})

test('only a refused login, or a refusal of a project that somebody named, stops writing', async () => {
  const { report, work, push, page, turn, id, api } = await room()
  const problem = async () => (await page()).write_back_problem
  let number = 0
  const foreign = async () => {
    await push('main', [`e${++number}`], 'eve/star')
    await report({ number, branch: 'main', commit: `e${number}` })
    await work()
  }
  const own = async () => {
    await report({ number: ++number, branch: 'main', commit: 'c2', job: `Job ${number}` })
    await work()
  }
  // All projects are allowed, and nobody has named one.
  gitlab.levels.set('eve/star', 10)
  await foreign()
  expect([gitlab.writes, await problem()]).toEqual([[expect.stringContaining('/statuses/e1')], null])
  await own()
  expect([gitlab.statuses.map(({ sha }) => sha), await problem()]).toEqual([['c2'], null])

  await api(`/integrations/${id}/places`, { method: 'POST', body: { confirm: ['owl/star'] } })
  await foreign()
  expect([gitlab.writes.length, await problem()]).toEqual([3, null])
  gitlab.levels.set('owl/star', 10)
  await own()
  expect(await problem()).toContain('role Developer')

  // What is checked again is what was named.
  gitlab.levels.delete('owl/star')
  expect(await turn(true)).toMatchObject({ status: 200, json: { write_back_problem: null } })
  gitlab.token = 'another one'
  await foreign()
  expect(await problem()).toContain('does not accept the login')
})

/** Pipelines of projects that are not ours, as a webhook of a group or of the whole server sends them. */
const FOREIGN = Number(process.env.FOREIGN_EVENTS ?? 50)

test('webhooks of projects that the token cannot see or write to pause nothing', {
  timeout: Math.max(240_000, FOREIGN * 1_000),
}, async () => {
  const { deliver, push, report, work, page } = await room()
  const events = Array.from({ length: FOREIGN }, (_, at) => ({
    path: `eve/secret${at}`,
    sha: `${at}`.padStart(40, 'e'),
    id: 500 + at,
  }))
  for (const [at, { path, sha, id }] of events.entries()) {
    // GitLab hides a project that the token can't see, and refuses one where its role is too low.
    if (at % 2 === 0) {
      gitlab.projects.set(path, { id, commits: new Set([sha]), pulls: new Set() })
      gitlab.levels.set(path, 20)
    }
    const project = { id, path_with_namespace: path, web_url: `${gitlab.url}/${path}` }
    const commit = { id: sha, message: 'Work', author: { name: 'Eve' }, modified: ['src/a.c'] }
    await deliver({ object_kind: 'push', ref: 'refs/heads/main', before: '0'.repeat(40), after: sha, project, commits: [commit] })
    const pipeline = {
      id,
      iid: 1,
      sha,
      ref: 'main',
      source: 'push',
      status: 'success',
      url: `${project.web_url}/-/pipelines/${id}`,
    }
    await deliver({ object_kind: 'pipeline', object_attributes: pipeline, builds: [], project, commit: { id: sha } })
    await report({ number: id, branch: 'main', commit: sha, broken: 'src/a.c' })
  }
  await work()
  const tried = gitlab.asked.flatMap((path) => /secret\d+/.exec(path) ?? [])
  expect(new Set(tried).size).toBe(FOREIGN)
  expect(gitlab.statuses).toEqual([])
  expect(await page()).toMatchObject({ write_back: true, write_back_problem: null })
  await push('main', ['c3'])
  await report({ number: 1, branch: 'main', commit: 'c3' })
  await work()
  expect(gitlab.statuses.map(({ sha }) => sha)).toEqual(['c3'])
})

/** How many reports the echoes are tried with. */
const UPDATES = Number(process.env.WRITE_BACK_UPDATES ?? 40)

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
  expect(await echoes(made)).toBe(0)
  expect(gitlab.notes).toHaveLength(1)
  expect(gitlab.pipelines).toHaveLength(1)
  expect(gitlab.statuses.length).toBeGreaterThan(UPDATES / 10)
  expect(new Set(gitlab.statuses.map((status) => JSON.stringify({ ...status, id: 0 }))).size).toBe(gitlab.statuses.length)
})
