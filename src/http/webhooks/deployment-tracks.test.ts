import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { commit, openTools, push, type Tools } from '../../../test/support/tools.ts'
import { raw, sql } from '../../db/database.ts'

/** Tracks of a store, the new changes on each, and the release notes. */

let tools: Tools
let kim: Visitor
beforeAll(async () => {
  tools = await openTools()
  kim = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
})
afterAll(() => tools.close())

const ship = async (body: object) => (await tools.deployment(body)).json.records[0].id as string
const page = async (id: string, part: string) => (await kim.app(`/projects/${tools.project}/deployments/${id}/${part}`)).json
const sha = (name: string) => name.padEnd(40, '0')
const pushed = (ref: string, before: string, ...commits: [name: string, message: string][]) =>
  tools.github(
    push(
      commits.map(([name, message]) => commit(sha(name), { message })),
      { ref: `refs/heads/${ref}`, before: sha(before), after: sha(commits.at(-1)![0]) },
    ),
  )
const built = (job_name: string, build_number: number, name: string, branch: string) =>
  tools.ci({ job_name, build_number, status: 'SUCCESS', commit: sha(name), branch })
const told = ({ changes }: { changes: { identifier: string }[] }) =>
  changes.map(({ identifier }) => identifier.replace(/0+$/, ''))

describe('the tracks of a store', () => {
  test('have separate deployments: promotion keeps the beta and has the same build', async () => {
    const build = (await tools.ci({ job_name: 'Ship', build_number: 500, status: 'SUCCESS' })).json.records[0].id
    const report = { platform: 'steam', job_name: 'Ship', build_number: 500 }
    const beta = await ship({ ...report, event: 'live', track: 'beta', version: '1.0', steam_app_id: '480' })
    const live = await ship({ ...report, event: 'live', track: 'public' })
    expect(live).not.toBe(beta)
    expect(await tools.api(`deployments/${beta}`)).toMatchObject({ store: 'steam', track: 'beta', status: 'live' })
    expect(await tools.api(`deployments/${live}`)).toMatchObject({
      store: 'steam',
      track: 'default',
      version: '1.0',
      external_id: '480',
      build_run_id: String(build),
    })
    expect(await ship({ ...report, event: 'rolled_back', track: 'beta' })).toBe(beta)
    expect((await tools.api(`deployments/${live}`)).status).toBe('live')
  })

  test('are named by branch in older scripts, but not by a branch of version control', async () => {
    await pushed('rc', '', ['rc1', 'Freeze'])
    const at = async (branch: string, build_number: number) =>
      (await tools.api(`deployments/${await ship({ platform: 'epic', event: 'created', build_number, branch })}`)).track
    expect([await at('Beta', 510), await at('rc', 511), await at('main', 512), await at('release/1', 513)]).toEqual([
      'beta',
      null,
      null,
      null,
    ])
  })

  test('take over an upload without a track', async () => {
    const report = { platform: 'google', build_number: 520 }
    const uploaded = await ship({ ...report, event: 'uploaded' })
    expect(await ship({ ...report, event: 'live', track: 'production' })).toBe(uploaded)
    expect(await ship({ ...report, event: 'live', track: 'internal' })).not.toBe(uploaded)
  })

  test('belong to a store that keeps its name if the API has no platform for it', async () => {
    const of = async (platform: string) => {
      const { store, platform: stored } = await tools.api(
        `deployments/${await ship({ platform, event: 'uploaded', build_number: 530, version: '1.0' })}`,
      )
      return [stored, store]
    }
    expect(await of('PS5')).toEqual(['custom', 'ps5'])
    expect(await of('Nintendo Switch')).toEqual(['custom', 'switch'])
    expect(await of('My Shop')).toEqual(['custom', 'my_shop'])
    expect(await of('custom')).toEqual(['custom', null])
    expect(await of('steamworks')).toEqual(['steam', 'steam'])
  })
})

describe('the list of new changes', () => {
  let task: Record<'done' | 'open' | 'machine' | 'broken' | 'away', number>
  let [first, second, beta] = ['', '', '']

  beforeAll(async () => {
    const made = async (title: string, state: string) =>
      (await tools.api('tasks', { method: 'POST', body: { task: { title, state, task_type: 'bug' } } })).id as number
    task = {
      done: await made('Moon is dark', 'completed'),
      open: await made('Moon is blocked', 'blocked'),
      machine: await made('Restart the build machine', 'completed'),
      broken: await made('Main is red', 'completed'),
      away: await made('Never shipped', 'completed'),
    }
    await pushed('main', 'a', ['m1', 'Begin'], ['m2', 'Go on'])
    // On main before the release branch had any changes, and never shipped from there.
    await pushed('main', 'm2', ['m3', `Light the moon #${task.done} #${task.open}`])
    await pushed('release', 'm2', ['r1', `Mend the release #${task.away}`])
    await pushed('main', 'm3', ['r1', `Mend the release #${task.away}`], ['m4', `Tidy #${task.machine} #${task.broken}`])
    await tools.studio.db.execute(sql`
      insert into breakages (account_id, project_id, fingerprint, state, jobs, cause, opened_at, last_seen_at, task_id)
      select account_id, project_id, 'red', 'fixed', '{Ship-Main}', 'It broke.', now(), now(), id from tasks where id = ${task.broken}`)
    await built('Ship-Release', 601, 'r1', 'release')
    await built('Ship-Main', 602, 'm4', 'main')
    const steam = { platform: 'steam', event: 'live' }
    first = await ship({ ...steam, job_name: 'Ship-Release', build_number: 601, track: 'default', version: '1.0' })
    beta = await ship({ ...steam, job_name: 'Ship-Main', build_number: 602, track: 'beta', version: '1.1' })
    second = await ship({ ...steam, job_name: 'Ship-Main', build_number: 602, track: 'default', version: '1.1' })
  })

  test('from release to main has everything that never shipped, however old, without what the release contained', async () => {
    const news = await page(second, 'changes')
    expect(news.since).toMatchObject({ id: first, version: '1.0' })
    expect(told(news)).toEqual(['m4', 'm3'])
  })

  test('from main to release has what main did not contain', async () => {
    await pushed('release', 'r1', ['r2', 'Only here'])
    await built('Ship-Release', 603, 'r2', 'release')
    const third = await ship({ platform: 'steam', event: 'live', job_name: 'Ship-Release', build_number: 603, track: 'default' })
    const news = await page(third, 'changes')
    expect(news.since.id).toBe(second)
    expect(told(news)).toEqual(['r2'])
  })

  test('leaves out changes that a force push removed or may have replaced', async () => {
    await pushed('main', 'm4', ['m5', 'Removed'], ['m6', 'In doubt'], ['m7', 'Stays'])
    await built('Ship-Main', 604, 'm7', 'main')
    const next = await ship({
      platform: 'steam',
      event: 'live',
      job_name: 'Ship-Main',
      build_number: 604,
      track: 'default',
      version: '1.2',
    })
    const mark = (column: string, identifier: string) => sql`
      update change_branches p set ${raw(column)} = now() from changes c
      where c.account_id = p.account_id and c.id = p.change_id and c.identifier = ${sha(identifier)} and p.branch = 'main'`
    await tools.studio.db.execute(mark('orphaned_at', 'm5'))
    await tools.studio.db.execute(mark('doubted_at', 'm6'))
    const news = await page(next, 'changes')
    expect(news.since.version).not.toBe('1.2')
    expect(told(news)).toContain('m7')
    expect(told(news)).not.toContain('m5')
    expect(told(news)).not.toContain('m6')
  })

  test('on a track without an earlier live deployment has everything, whatever other tracks had', async () => {
    const news = await page(beta, 'changes')
    expect(news.since).toBeNull()
    expect(told(news)).toEqual(['m4', 'r1', 'm3', 'm2', 'm1'])
  })

  test('lists completed tasks about the game, and leaves out the others with a reason', async () => {
    const { tasks, left_out } = await page(second, 'release')
    expect(tasks.map(({ id }: { id: number }) => id)).toEqual([task.done])
    expect(left_out.map(({ id, reason }: { id: number; reason: string }) => [id, reason])).toEqual([
      [task.open, 'not_completed'],
      [task.machine, 'infrastructure'],
      [task.broken, 'breakage'],
    ])
  })
})
