import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { workshop } from '../../../test/support/studios/workshop.ts'
import { type Database, sql } from '../../db/database.ts'

const PASSWORD = 'a long enough password'
const early = new Date().setUTCHours(0, 5, 0, 0)
const ago = (days: number, minutes = 0) => new Date(early - days * 86_400_000 + minutes * 60_000).toISOString()
const day = (days: number) => ago(days).slice(0, 10)
const build = (key: string, status: string, days: number, more: object = {}) => ({
  key,
  project: 'star',
  status,
  created_at: ago(days),
  started_at: ago(days),
  finished_at: ago(days, 2),
  ...more,
})

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    accounts: workshop.accounts.map((account) => ({
      ...account,
      timezone: account.key === 'fox' ? 'America/Los_Angeles' : 'UTC',
    })),
    users: workshop.users.map((user) => ({ ...user, password: PASSWORD })),
    changes: [{ key: 'c', project: 'star', identifier: 'abc123', source_type: 'GitCommit', timestamp: ago(3) }],
    build_runs: [
      build('shipped', 'completed', 2, { commit_hash: 'abc123', branch: '//game/Main' }),
      build('red', 'failed', 1),
      build('again', 'failed', 1),
      build('stopped', 'cancelled', 1),
      build('held', 'passed_pending_approval', 1, { branch: 'feature/main-menu' }),
      build('old', 'failed', 40),
      build('elsewhere', 'failed', 1, { project: 'moon' }),
      ...[2, 5, 20].map((minutes, i) =>
        build(['quick', 'middle', 'slow'][i]!, 'completed', 1, {
          ci_job_name: 'night',
          build_number: String(i + 1),
          finished_at: ago(1, minutes),
        }),
      ),
      build('broken night', 'failed', 1, { ci_job_name: 'night', build_number: '9', finished_at: ago(1, 5) }),
    ],
    tasks: [
      { key: 'open', project: 'star', title: 'Mine', user: 'lead' },
      { key: 'done', project: 'star', title: 'Done', user: 'lead', state: 'completed' },
      { key: 'theirs', project: 'star', title: 'Theirs', user: 'artist' },
      { key: 'far', project: 'moon', title: 'Far', user: 'lead' },
    ],
    deployments: [
      { key: 'd', project: 'star', platform: 'steam', version: '1.1', status: 'live', build_run: 'shipped', live_at: ago(1) },
      { key: 'unbuilt', project: 'star', platform: 'steam', version: '1.0', status: 'live', live_at: ago(2) },
    ],
  })
  await investigate(studio.db, 'red', 'compile_error')
  await investigate(studio.db, 'red', 'compile_error')
  await investigate(studio.db, 'again', 'out_of_disk')
  await investigate(studio.db, 'elsewhere', 'out_of_disk')
  for (const [project, state] of [
    ['star', 'fixed'],
    ['moon', 'fixed'],
    ['star', 'open'],
  ] as const)
    await breakage(project, state)
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const investigate = (db: Database, key: string, category: string) =>
  db.execute(sql`
    insert into investigations (account_id, build_run_id, status, category)
    values (${studio.world.accounts!.owl!.id}, ${studio.world.build_runs![key]!.id}, 'completed', ${category})`)

const breakage = (project: string, state: string) =>
  studio.db.execute(sql`
    with broken as (
      insert into breakages (account_id, project_id, fingerprint, branch, state, cause, opened_at, last_seen_at, occurrence)
      select account_id, id, 'f', 'main', ${state}, 'No disk left', ${ago(1)}, ${ago(1)}, 1
      from projects where id = ${studio.world.projects![project]!.id} returning *)
    insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, fixed_at)
    select account_id, project_id, id, 1, opened_at, case when state = 'fixed' then ${ago(1, 60)}::timestamptz end from broken`)

const trends = async (days: number) =>
  (await lead.app(`/projects/${studio.world.projects!.star!.id}/plots?days_back=${days}`)).json

describe('the plots of a project', () => {
  test('count builds by day and result, including days without builds', async () => {
    const { builds } = await trends(4)
    expect(builds).toEqual([
      { day: day(3), completed: 0, failed: 0, cancelled: 0, waiting: 0 },
      { day: day(2), completed: 1, failed: 0, cancelled: 0, waiting: 0 },
      { day: day(1), completed: 3, failed: 3, cancelled: 1, waiting: 1 },
      { day: day(0), completed: 0, failed: 0, cancelled: 0, waiting: 0 },
    ])
  })

  test('show the pass rate of each job, and its median passed build per day', async () => {
    const { jobs } = await trends(4)
    expect(
      jobs.map(({ name, passed, failed }: { name: string; passed: number; failed: number }) => [name, passed, failed]),
    ).toEqual([
      ['', 2, 2],
      ['night', 3, 1],
    ])
    const id = (key: string) => studio.world.build_runs![key]!.id
    expect(jobs[1].typical).toEqual([{ id: id('middle'), build_number: '2', at: ago(1, 5), seconds: 300 }])
    expect(jobs[0].typical.map((build: { id: number; seconds: number }) => [build.id, build.seconds])).toEqual([
      [id('shipped'), 120],
      [id('held'), 120],
    ])
  })

  test('list fixed breakages with their duration, for this project only', async () => {
    const { fixes } = await trends(4)
    expect(fixes).toEqual([{ id: expect.any(String), at: ago(1, 60), seconds: 3600, branch: 'main', cause: 'No disk left' }])
  })

  test('measure from the change to the time its build was live, if both are known', async () => {
    const { lead_times } = await trends(4)
    expect(lead_times).toEqual([
      { id: studio.world.deployments!.d!.id, at: ago(1), hours: 48, store: 'steam', track: null, version: '1.1' },
    ])
  })

  test('list each cause with the number of builds that failed with it in this project and when', async () => {
    const { causes } = await trends(4)
    expect(causes).toEqual([
      { day: day(1), category: 'compile_error', count: 1 },
      { day: day(1), category: 'out_of_disk', count: 1 },
    ])
  })

  test('go back as far as requested', async () => {
    const { builds } = await trends(60)
    expect(builds).toHaveLength(60)
    expect(builds.find((one: { day: string }) => one.day === day(40))).toMatchObject({ failed: 1 })
  })
})

describe('the overview of a project', () => {
  const ask = async (path: string) => (await lead.app(`/projects/${studio.world.projects!.star!.id}${path}`)).json

  test('starts with the main branch, whichever was built last', async () => {
    const names = async (query: string) => (await ask(`/branches${query}`)).branches.map(({ name }: { name: string }) => name)
    expect(await names('')).toEqual(['feature/main-menu', '//game/main'])
    expect(await names('?main_first=true')).toEqual(['//game/main', 'feature/main-menu'])
    expect(await names('?main_first=true&limit=1')).toEqual(['//game/main'])
  })

  test("lists the caller's work: open tasks, breakages they own, and unowned ones they may have caused", async () => {
    const user = (key: string) => studio.world.users![key]!.id
    const suspects = (key: string) =>
      JSON.stringify([{ change_id: 1, user_id: user(key), score: 0.9, reasons: ['said so'], reason_codes: ['other'] }])
    const broken = (cause: string, owner: string | null, suspect: string, state = owner ? 'claimed' : 'open') =>
      studio.db.execute(sql`
        insert into breakages (account_id, project_id, fingerprint, state, cause, owner_user_id, suspects, opened_at, last_seen_at)
        select account_id, id, ${cause}, ${state}, ${cause}, ${owner && user(owner)}, ${suspects(suspect)}::jsonb, now(), now()
        from projects where id = ${studio.world.projects!.star!.id}`)
    await broken('suspected', null, 'lead')
    await broken('claimed', 'lead', 'artist')
    await broken('seen to', 'artist', 'lead')
    await broken('of others', null, 'artist')
    await broken('over', 'lead', 'lead', 'fixed')
    const { mine } = await ask('/overview')
    expect(mine.tasks.map(({ title }: { title: string }) => title)).toEqual(['Mine'])
    expect(mine.breakages.map(({ cause, claimed }: { cause: string; claimed: boolean }) => [cause, claimed])).toEqual([
      ['claimed', true],
      ['suspected', false],
    ])
  })
})

describe('the figures of a project', () => {
  let rival: Visitor
  const place = () => ({ account: studio.world.accounts!.fox!.id as number, project: studio.world.projects!.den!.id as number })
  const ask = async (path: string) => (await rival.app(`/projects/${place().project}${path}`)).json
  const ended = (status: string, kind: string, at: string) =>
    studio.db.execute(sql`
      insert into build_runs (account_id, project_id, status, kind, branch, created_at, finished_at)
      values (${place().account}, ${place().project}, ${status}, ${kind}, 'main', ${at}, ${at})`)
  beforeAll(async () => {
    rival = await signIn(studio, 'rival@example.com', PASSWORD)
    const recent = new Date(Date.now() - 60_000).toISOString()
    for (const kind of ['regular', 'preflight', 'bisect'])
      for (const status of ['completed', 'failed', 'failed']) await ended(status, kind, recent)
  })

  test('count builds without preflights and bisecting builds, on the overview, in the plot and above the feed', async () => {
    const { builds_passed_24h, builds_failed_24h } = await ask('/overview')
    expect([builds_passed_24h, builds_failed_24h]).toEqual([1, 2])
    const { builds } = await ask('/plots?days_back=2')
    const sum = (key: 'completed' | 'failed') => builds.reduce((all: number, day: Record<string, number>) => all + day[key]!, 0)
    expect([sum('completed'), sum('failed')]).toEqual([1, 2])
    const { rollup } = (await rival.app(`/workspace/events?account_id=${place().account}&limit=1`)).json
    expect([rollup.builds_passed_24h, rollup.builds_failed_24h]).toEqual([1, 2])
  })

  test("count days in the account's time zone", async () => {
    const evening = new Date(new Date().setUTCHours(3, 0, 0, 0) - 5 * 86_400_000)
    await ended('cancelled', 'regular', evening.toISOString())
    const there = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Los_Angeles' }).format(evening)
    expect(there).not.toBe(evening.toISOString().slice(0, 10))
    const { builds } = await ask('/plots?days_back=10')
    expect(builds.filter((day: { cancelled: number }) => day.cancelled > 0)).toMatchObject([{ day: there, cancelled: 1 }])
  })

  test('have the mean of the middle two as the median time to green', async () => {
    for (const [cause, hours] of [
      ['quick', 1],
      ['slow', 4],
    ] as const)
      await studio.db.execute(sql`
        with broken as (
          insert into breakages (account_id, project_id, fingerprint, branch, state, cause, opened_at, last_seen_at, occurrence)
          values (${place().account}, ${place().project}, ${cause}, 'main', 'fixed', ${cause}, now(), now(), 1) returning *)
        insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, fixed_at)
        select account_id, project_id, id, 1, now() - make_interval(hours => ${hours}), now() from broken`)
    expect((await ask('/branches/health?branch=main')).time_to_green_seconds).toBe(2.5 * 3_600)
  })
})
