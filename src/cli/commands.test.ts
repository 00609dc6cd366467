import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { runInvestigation } from '../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { nightOwl, ROWS } from '../../test/support/studios/night-owl.ts'
import { sql } from '../db/database.ts'

let studio: Studio
let line: CommandLine
const id = (kind: string, key: string) => String(studio.world[kind as 'tasks']![key]!.id)

beforeAll(async () => {
  studio = await openStudio(nightOwl)
  line = new CommandLine()
  const token = studio.world.tokens!.all!.token as string
  expect(await line.run(['login', '--token', '--host', studio.site], { input: `${token}\n` })).toMatchObject({ code: 0 })
  expect((await line.run(['use', 'starfall'])).code).toBe(0)
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const ok = async (...args: string[]) => {
  const ended = await line.run(args)
  expect(ended, args.join(' ')).toMatchObject({ code: 0 })
  return ended
}
const json = async (...args: string[]) => JSON.parse((await ok(...args, '--json')).out)
const rows = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))

describe('signing in and choosing a project', () => {
  test('stores the token for its host, readable only by its owner', () => {
    const file = join(line.home, 'config/goldmaster/hosts.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      default: studio.site,
      hosts: { [studio.site]: { expires_at: null } },
    })
  })

  test('whoami prints the user, the account and the token', async () => {
    expect((await ok('whoami')).out).toContain('read:tasks')
    expect(await json('whoami')).toMatchObject({ ok: true, token: { name: 'all' } })
  })

  test('use stores the project of a folder by name or id, and prints it', async () => {
    expect(JSON.parse(readFileSync(join(line.home, '.goldmaster'), 'utf8'))).toEqual({
      project: id('projects', 'star'),
      host: studio.site,
    })
    expect((await ok('use')).out).toContain(studio.site)
    expect(await line.run(['use', 'nowhere'])).toMatchObject({
      code: 8,
      err: expect.stringContaining(': nowhere. To see your projects'),
    })
  })
})

describe('projects', () => {
  test('are listed and shown', async () => {
    expect(rows((await ok('projects', 'list')).out).map(([, name]) => name)).toContain('Starfall')
    expect(await json('projects', 'show')).toMatchObject({ name: 'Starfall', tasks_count: ROWS })
    expect((await ok('projects', 'show', id('projects', 'moon'))).out).toContain('Moonrise')
  })
})

describe('tasks', () => {
  test('are listed in pages up to the limit, with the filters of the API', async () => {
    expect(rows((await ok('tasks', 'list')).out)).toHaveLength(20)
    expect(await json('tasks', 'list', '--limit', '500')).toHaveLength(ROWS)
    const blocked = await json('tasks', 'list', '--state', 'blocked', '--state', 'in_progress', '--limit', '99')
    expect(new Set(blocked.map((task: { state: string }) => task.state))).toEqual(new Set(['blocked']))
    expect((await ok('tasks', 'list', '--label', 'label-7', '--pick', '[].title')).out).toBe('Task 7\n')
    expect(await ok('tasks', 'list', '--label', 'nobody')).toMatchObject({ out: '', err: 'No tasks match these filters.\n' })
  })

  test('show that there are more', async () => {
    expect((await ok('tasks', 'list', '--limit', '2')).err).toBe('There are more. To see them, add --limit 4\n')
    expect(await json('tasks', 'list', '--limit', '2', '--envelope')).toMatchObject({ pagination: { has_more: true } })
  })

  test('print only the chosen fields', async () => {
    const tasks = JSON.parse((await ok('tasks', 'list', '--limit', '1', '--json', 'id,title')).out)
    expect(Object.keys(tasks[0])).toEqual(['id', 'title'])
    expect(await line.run(['tasks', 'list', '--json', 'id,titel'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('unknown field titel'),
    })
  })

  test('are shown with their links; --json does not change the id', async () => {
    expect((await ok('tasks', 'show', id('tasks', 'task3'))).out).toContain('night')
    expect(JSON.parse((await ok('tasks', 'show', '--json', id('tasks', 'task3'))).out).title).toBe('Task 3')
    expect((await ok('tasks', 'show', id('tasks', 'task3'), '--web')).out).toMatch(
      /^https:\/\/gold\.example\/projects\/\d+\/tasks\/\d+\n$/,
    )
  })

  test("are created with the client's name, edited, started and completed", async () => {
    const fields = ['--task-type', 'bug', '--label', 'a', '--label', 'b', '--metadata', '{"sprint":4}']
    const made = JSON.parse((await ok('tasks', 'create', '--title', 'Fix it', ...fields, '--json')).out)
    expect(made).toMatchObject({ title: 'Fix it', task_type: 'bug', labels: ['a', 'b'] })
    expect(made.metadata).toMatchObject({ sprint: 4, client: { name: 'goldmaster-cli', version: '0.1.0' } })
    const task = String(made.id)
    await line.run(['tasks', 'edit', task, '--append', '-'], { input: 'seen again\n' })
    expect(await json('tasks', 'edit', task, '--priority', 'high', '--label', '')).toMatchObject({
      description: 'seen again',
      priority: 'high',
      labels: [],
    })
    expect((await ok('tasks', 'start', task, '--assignee-handle', 'lint-bot')).out).toBe(`#${task} is in_progress: Fix it\n`)
    expect((await ok('tasks', 'done', task, id('tasks', 'task1'))).out.split('\n')).toHaveLength(3)
    expect(await json('tasks', 'edit', task, '--assignee-handle', 'none')).toMatchObject({
      state: 'completed',
      assignee_handle: null,
    })
  })

  test('are created once for a repeated key', async () => {
    const create = ['tasks', 'create', '--title', 'Once', '--idempotency-key', 'one', '--pick', 'id']
    expect((await ok(...create)).out).toBe((await ok(...create)).out)
  })

  test.each([
    [['tasks', 'create'], 'Missing --title'],
    [['tasks', 'create', '--title', ' '], 'title must have 1 to 255 characters'],
    [['tasks', 'create', '--title', 'x', '--pick', 'idd'], 'unknown field idd'],
    [['tasks', 'edit', '1'], 'Nothing to change'],
    [['tasks', 'edit', '1', '--metadata', '[]'], 'must be a JSON object'],
    [['tasks', 'edit', '1', '--assignee-handle', 'Big Bot'], 'assignee_handle must match'],
    [['tasks', 'list', '--state', 'doing'], 'to_do, in_progress, blocked, completed'],
    [['tasks', 'list', '--project', 'star'], 'must be a project id'],
    [['tasks', 'list', '--limit', '0'], 'from 1 to 100000'],
    [['tasks', 'list', '--stat', 'x'], "unknown option '--stat' (Did you mean --state?); see: goldmaster tasks list --help"],
    [['tasks', 'shwo', '1'], "unknown command 'shwo' (Did you mean show?); see: goldmaster tasks --help"],
    [['taks'], "unknown command 'taks' (Did you mean tasks?); see: goldmaster --help"],
    [['tasks', 'show'], "missing required argument 'task'; see: goldmaster tasks show --help"],
  ])('%j is refused with one line before anything is sent', async (args, why) => {
    const { code, err } = await line.run(args)
    expect(code).toBe(2)
    expect(err).toMatch(/^goldmaster: [^\n]*\n$/)
    expect(err).toContain(why)
  })
})

describe('searching', () => {
  test('lists accept the filters of their search', async () => {
    expect(await json('builds', 'list', '--limit', '500')).toHaveLength(ROWS)
    const failed = await json('builds', 'list', '--query', 'night', '--status', 'failed', '--limit', '500')
    expect(failed).toHaveLength((await json('builds', 'list', '--status', 'failed', '--limit', '500')).length)
    const { commit_hash } = await json('builds', 'show', id('build_runs', 'build7'))
    const found = ['builds', 'list', '--pick', '[].build_number']
    expect((await ok(...found, '--commit', commit_hash)).out).toBe('7\n')
    expect((await ok(...found, '--job', 'night', '--author', 'lead dev', '--query', '#7', '--commit', commit_hash)).out).toBe(
      '7\n',
    )
    expect((await ok('changes', 'list', '--path', 'content/t_7.png', '--pick', '[].id')).out).toBe(
      `${id('changes', 'change7')}\n`,
    )
    expect(await ok('changes', 'list', '--author', 'example.com')).toMatchObject({
      out: '',
      err: 'No changes match these filters.\n',
    })
    expect((await ok('tasks', 'list', '--query', 'Task 7', '--label', 'label-7', '--pick', '[].title')).out).toBe('Task 7\n')
    expect((await ok('assets', 'list', '--query', 't_7.png', '--pick', '[].name')).out).toBe('T_7.png\n')
  })

  test('an invalid value is refused before any request', async () => {
    expect(await line.run(['builds', 'list', '--finished-since', 'yesterday'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--finished-since'),
    })
    expect(await line.run(['tasks', 'list', '--query', ' '])).toMatchObject({ code: 2, err: expect.stringContaining('--query') })
  })
})

describe('builds', () => {
  test('are listed, at most 50, and shown', async () => {
    expect(rows((await ok('builds', 'list', '--status', 'failed', '--limit', '3')).out)).toHaveLength(3)
    expect((await json('builds', 'show', id('build_runs', 'build1'))).ci_job_name).toBe('night')
    expect((await ok('builds', 'show', id('build_runs', 'build1'))).out).toContain('night #1')
  })

  test('print their log, whole or in part', async () => {
    const log = ['builds', 'log', id('build_runs', 'build1')]
    expect((await ok(...log)).out).toBe('line one by owner\nerror: it broke\nlast line\n')
    expect((await ok(...log, '--tail', '1')).out).toBe('last line\n')
    expect((await ok(...log, '--search', 'nothing like it')).err).toContain('No line')
  })

  test('are watched to their end, whose result is the exit code', async () => {
    expect(await line.run(['builds', 'watch', id('build_runs', 'build1')])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/night #1 .*failed/),
    })
    const build = id('build_runs', 'build2')
    const move = (status: string, phase: string) =>
      studio.db.execute(sql`update build_runs set status = ${status}, phase = ${phase}, finished_at = null where id = ${build}`)
    await move('building', 'cooking')
    let moved = false
    const { code, out } = await line.run(['builds', 'watch', build, '--interval', '1'], {
      watch(written) {
        if (moved || !written.includes('cooking')) return
        moved = true
        void move('completed', 'packaging')
      },
    })
    expect(out).toMatch(/building · cooking\n.*completed · packaging\n$/)
    expect(code).toBe(0)
  })

  test('that are lost end the watch', async () => {
    const build = id('build_runs', 'build6')
    await studio.db.execute(sql`update build_runs set status = 'building', lost_at = now() where id = ${build}`)
    expect(rows((await ok('builds', 'list', '--status', 'building')).out).find(([first]) => first === build)![1]).toBe('lost')
    expect((await ok('builds', 'show', build)).out).toMatch(/lost/)
    const watched = await line.run(['builds', 'watch', build], { env: { GITHUB_ACTIONS: 'true' } })
    expect(watched).toMatchObject({ code: 1, out: expect.stringMatching(/lost[\s\S]*The build stopped reporting/) })
    await studio.db.execute(sql`update build_runs set status = 'completed', lost_at = null where id = ${build}`)
  })

  test('are investigated; the command waits for the finding', async () => {
    const build = id('build_runs', 'build3')
    let begun = false
    const { code, out } = await line.run(['builds', 'investigate', build], {
      watch(written) {
        if (begun || !written.includes('Investigating')) return
        begun = true
        void studio.db
          .rows<{ id: number }>(sql`select id from investigations where build_run_id = ${build}`)
          .then(([row]) => runInvestigation(studio.db, row!.id))
      },
    })
    expect(code).toBe(0)
    expect(out).toContain('completed')
    expect(out).toContain('error: it broke')
    expect(await line.run(['builds', 'investigate', id('build_runs', 'build4')])).toMatchObject({
      code: 1,
      err: expect.stringContaining('Only a failed build'),
    })
  })
})

describe('changes, assets, approvals, deployments, members', () => {
  test('changes are listed and shown', async () => {
    expect(rows((await ok('changes', 'list', '--source-type', 'Changelist')).out).length).toBeGreaterThan(3)
    expect((await ok('changes', 'show', id('changes', 'change1'))).out).toContain('Content/T_1.png')
  })

  test('assets are listed and shown', async () => {
    expect(await json('assets', 'list', '--pending-approval', '--limit', '50')).toHaveLength(12)
    expect((await ok('assets', 'show', id('assets', 'asset1'))).out).toContain('T_1.png')
  })

  test('approvals are listed, shown and decided, by their own id or the asset', async () => {
    expect(rows((await ok('approvals', 'list', '--status', 'pending', '--limit', '50')).out)).toHaveLength(12)
    expect((await ok('approvals', 'show', id('approvals', 'approval2'))).out).toContain('pending')
    expect((await ok('approvals', 'approve', id('approvals', 'approval2'), '-m', 'fine')).out).toMatch(
      /^T_2\.png version \d+ is approved\.\n$/,
    )
    expect(await json('approvals', 'deny', id('assets', 'asset4'))).toMatchObject({ status: 'denied' })
    expect(await json('approvals', 'ignore', id('assets', 'asset6'), '--stage', 'art_review')).toMatchObject({
      approval_stage: 'art_review',
    })
    expect(await line.run(['approvals', 'approve', '5d0c3d37-77c8-4c3a-9d0e-0f6f2f2f2a10'])).toMatchObject({ code: 8 })
  })

  test('builds and deployments list the changes since an earlier one', async () => {
    const [earlier, later] = [id('build_runs', 'build3'), id('build_runs', 'build6')]
    const found = await json('builds', 'changes', later, '--since', earlier, '--envelope')
    expect(found).toMatchObject({ since: { id: earlier }, basis: 'time' })
    expect(found.changes.length).toBeGreaterThan(0)
    const shown = await ok('builds', 'changes', later, '--since', earlier)
    expect(rows(shown.out).map(([change]) => change)).toEqual(found.changes.map((change: { id: number }) => String(change.id)))
    const between = await json('deployments', 'compare', id('deployments', 'deployment3'), id('deployments', 'deployment6'))
    expect(between).toEqual(
      await json('builds', 'changes', await buildOf('deployment6'), '--since', await buildOf('deployment3')),
    )
  })
  const buildOf = async (key: string) => (await json('deployments', 'show', id('deployments', key))).build_run_id as string

  test('deployments are listed and shown', async () => {
    expect(rows((await ok('deployments', 'list', '--platform', 'steam', '--limit', '2')).out)).toHaveLength(2)
    expect((await ok('deployments', 'show', id('deployments', 'deployment1'))).out).toContain('steam 1.1')
  })

  test('members are numbers, never names', async () => {
    const { out, err } = await ok('members')
    expect(out).toContain('owner')
    expect(err).toContain('agent-0')
    expect(out + err).not.toContain('Leading')
  })
})
