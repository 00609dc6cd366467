import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../test/support/callers/listening.ts'
import { signIn } from '../../../test/support/callers/visitor.ts'
import { advanceClock, resetClock } from '../../../test/support/clock.ts'
import { openStudio } from '../../../test/support/studio.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { until } from '../../../test/support/until.ts'
import { LOG_MAX } from '../../contract/limits.ts'
import { sql } from '../../db/database.ts'
import { markLost } from '../../domain/builds/lost.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools({ wideIds: true })
})
afterAll(() => tools.close())

let builds = 0

/** A running build with its reports and state. */
async function running(more: object = {}) {
  const name = { job_name: 'Game Win64', build_number: String(++builds) }
  const report = (status: string, also: object = {}) => tools.ci({ ...name, status, ...also })
  const { json } = await report('STARTED', more)
  const id = json.records[0].id as number
  const post = (query: object, raw: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}, site = tools.studio) =>
    site.ask(`/webhooks/ci/log?${new URLSearchParams({ ...name, ...query } as Record<string, string>)}`, {
      method: 'POST',
      raw,
      headers: { 'content-type': 'text/plain', 'x-webhook-token': tools.tokenOf('jenkins'), ...headers },
    })
  const send = (offset: number, text: string | Buffer<ArrayBuffer>, query: object = {}) => post({ offset, ...query }, text)
  const log = async () =>
    (
      await tools.studio.ask(`/api/v1/projects/${tools.project}/build_runs/${id}/log`, {
        token: tools.studio.world.tokens.all!.token,
      })
    ).text
  return { id, name, report, post, send, log }
}

describe('the log of a running build', () => {
  test('that is silent for ten minutes differs from one whose sender is alive and has nothing to send', async () => {
    const { id, send, report } = await running()
    const silentSince = async () => (await tools.api(`build_runs/${id}`)).silent_since
    const age = (minutes: number) =>
      tools.studio.db.execute(sql`
        with aged as (update build_runs set updated_at = now() - make_interval(mins => ${minutes}) where id = ${id}),
          unheard as (update running_builds set heard_at = now() - make_interval(mins => ${minutes}) where build_run_id = ${id})
        update build_log_streams set received_at = now() - make_interval(mins => ${minutes}) where build_run_id = ${id}`)
    await age(30)
    expect(await silentSince(), 'a build whose log nobody streams may be silent for hours').toBe(undefined)
    await send(0, 'Compiling\n', { stream: 'one' })
    await age(9)
    expect(await silentSince()).toBe(undefined)
    await age(11)
    expect(Date.now() - Date.parse(await silentSince())).toBeGreaterThan(600_000)
    expect((await send(10, '', { stream: 'another' })).json).toMatchObject({ status: 'duplicate' })
    expect(await silentSince(), 'another run says nothing of this one').not.toBe(undefined)
    expect((await send(10, '', { stream: 'one' })).json).toMatchObject({ status: 'duplicate', offset: 10 })
    expect(await silentSince()).toBe(undefined)
    await age(60)
    await report('ABORTED')
    await age(60)
    expect(await silentSince(), 'one that is over has nothing to say').toBe(undefined)
  })

  test('grows piece by piece and is visible at once', async () => {
    const { send, log } = await running()
    expect(await send(0, 'Compiling\n')).toMatchObject({ status: 200, json: { status: 'appended', offset: 10 } })
    expect(await log()).toBe('Compiling\n')
    expect((await send(10, 'Linking\n')).json).toMatchObject({ status: 'appended', offset: 18 })
    expect(await log()).toBe('Compiling\nLinking\n')
  })

  test('contains nothing twice, whether a piece is repeated or overlaps', async () => {
    const { send, log } = await running()
    await send(0, 'one\ntwo\n')
    expect((await send(0, 'one\ntwo\n')).json).toMatchObject({ status: 'duplicate', offset: 8 })
    expect((await send(4, 'two\nthree\n')).json).toMatchObject({ status: 'appended', offset: 14 })
    expect(await log()).toBe('one\ntwo\nthree\n')
  })

  test('has no gaps: a sender that skips some is told where to continue', async () => {
    const { send, log } = await running()
    await send(0, 'one\n')
    expect(await send(8, 'three\n')).toMatchObject({ status: 409, json: { error: 'log_gap', offset: 4 } })
    expect(await log()).toBe('one\n')
  })

  test('accepts gzip', async () => {
    const { post, log } = await running()
    expect((await post({ offset: 0 }, gzipSync('packed\n'), { 'content-encoding': 'gzip' })).json).toMatchObject({ offset: 7 })
    expect(await log()).toBe('packed\n')
  })

  test('leaves an incomplete character for the next piece', async () => {
    const { send, log } = await running()
    const bytes = Buffer.from('Größe 🎮\n')
    let offset = 0
    for (const end of [3, 9, 10, bytes.length]) offset = (await send(offset, bytes.subarray(offset, end))).json.offset
    expect([offset, await log()]).toEqual([bytes.length, 'Größe 🎮\n'])
  })

  test('survives invalid UTF-8', async () => {
    const { send, log } = await running()
    expect((await send(0, Buffer.from([0x61, 0, 0xff, 0xfe, 0x62, 0xe2]))).json).toMatchObject({ offset: 5 })
    expect((await send(5, Buffer.from([0xe2]))).json).toMatchObject({ offset: 5 })
    expect((await send(5, Buffer.from([0xe2, 0x63]))).json).toMatchObject({ offset: 7 })
    expect(await log()).toBe('a\uFFFD\uFFFD\uFFFDb\uFFFDc')
  })

  test('keeps its last 256,000 characters, and no more rows than these need', async () => {
    const { id, send, log } = await running()
    const line = `${'ä'.repeat(999)}\n`
    let offset = 0
    for (let i = 0; i < 40; i++) offset = (await send(offset, `${i}${line.repeat(10)}`)).json.offset
    const all = Array.from({ length: 40 }, (_, i) => `${i}${line.repeat(10)}`).join('')
    expect((await log()) === all.slice(-LOG_MAX)).toBe(true)
    const [{ count }] = (await tools.studio.db.rows(
      sql`select count(*)::integer as count from build_log_chunks where build_run_id = ${id}`,
    )) as [{ count: number }]
    expect(count).toBe(26)
  })

  test('continues after a gap with a piece that fills everything that is kept', async () => {
    const { send, log } = await running()
    await send(0, 'long ago\n')
    const end = '🎮'.repeat(LOG_MAX)
    expect((await send(50_000_000, end)).json).toMatchObject({ status: 'appended', offset: 50_000_000 + 4 * LOG_MAX })
    await send(50_000_000 + 4 * LOG_MAX, 'now\n')
    expect((await log()) === `${'🎮'.repeat(LOG_MAX - 4)}now\n`).toBe(true)
  })

  test('notifies viewers at most once a second', async () => {
    const { id, send } = await running()
    const told = async () =>
      (
        await tools.studio.db.rows(
          sql`select id from outbox where event_type = 'build_run.progressed' and row_id = ${String(id)}`,
        )
      ).length
    /** As if the last notification were this long ago; sends one itself. */
    const lastTold = (ago: string) =>
      tools.studio.db.execute(sql`update build_runs set progressed_at = now() - ${ago}::interval where id = ${id}`)
    await send(0, '.')
    expect(await told()).toBe(1)
    await lastTold('-1 hour')
    for (let i = 1; i < 5; i++) await send(i, '.')
    expect(await told()).toBe(2)
    await lastTold('2 seconds')
    await send(5, '.')
    expect(await told()).toBe(4)
  })
})

describe('a build that goes silent', () => {
  // Builds of other tests are silent too.
  beforeAll(() => tools.studio.db.execute(sql`delete from build_runs`))
  afterEach(() => resetClock(tools.studio.db))
  const pass = async (time: string) => {
    await advanceClock(tools.studio.db, time)
    await markLost(tools.studio.db)
  }
  const stateOf = async (id: number) => {
    const { status, lost_at } = await tools.api(`build_runs/${id}`)
    return `${status}${lost_at === null ? '' : ', lost'}`
  }
  /** In the project's counts, among the running builds of the account, and on its branch. */
  const countsAsRunning = async (id: number, branch: string) => {
    const kim = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
    const account = tools.studio.world.accounts.owl!.id
    const { build_runs } = (await kim.app(`/accounts/${account}/running_builds`)).json
    const health = await tools.api(`branches/health?branch=${branch}`)
    return {
      count: (await kim.app(`/projects/${tools.project}/overview`)).json.builds_running as number,
      listed: build_runs.some((build: { id: string }) => build.id === String(id)),
      branch: health.jobs[0].building,
      state: health.state,
    }
  }

  test('is lost 15 minutes after the last heartbeat of its log, counts nowhere as running, and is back with the next one', async () => {
    const { id, send, report } = await running({ branch: 'silent' })
    await send(0, 'Compiling\n')
    await pass('14 minutes')
    expect(await stateOf(id)).toBe('building')
    const before = await countsAsRunning(id, 'silent')
    expect(before).toMatchObject({ listed: true, branch: true, state: 'building' })
    await pass('2 minutes')
    expect(await stateOf(id)).toBe('building, lost')
    expect(await countsAsRunning(id, 'silent')).toEqual({
      count: before.count - 1,
      listed: false,
      branch: false,
      state: 'unknown',
    })
    await send(10, '')
    expect(await stateOf(id), 'a sign without a word').toBe('building')
    expect(await countsAsRunning(id, 'silent')).toEqual(before)
    await pass('16 minutes')
    expect(await stateOf(id)).toBe('building, lost')
    await send(10, 'Linking\n')
    expect(await stateOf(id), 'more of its log').toBe('building')
    await pass('16 minutes')
    await report('SUCCESS')
    expect(await stateOf(id)).toBe('completed')
  })

  test('without a streamed log gets three times the usual duration of its job, at least an hour, and a day for a new job', async () => {
    const job = async (job_name: string, minutes: number[]) => {
      for (const [at, each] of minutes.entries())
        await tools.ci({ job_name, build_number: `${at}`, status: 'SUCCESS', duration_seconds: each * 60 })
      const started = await tools.ci({ job_name, build_number: 'now', status: 'STARTED' })
      return started.json.records[0].id as number
    }
    const [long, short, fresh] = [await job('long', [100, 120, 900]), await job('short', [1]), await job('fresh', [])]
    const states = () => Promise.all([long, short, fresh].map(stateOf))
    await pass('59 minutes')
    expect(await states()).toEqual(['building', 'building', 'building'])
    await pass('2 minutes')
    expect(await states()).toEqual(['building', 'building, lost', 'building'])
    await pass('298 minutes')
    expect(await states()).toEqual(['building', 'building, lost', 'building'])
    await pass('2 minutes')
    expect(await states()).toEqual(['building, lost', 'building, lost', 'building'])
    await tools.ci({ job_name: 'long', build_number: 'now', status: 'STARTED', phase: 'Cooking' })
    await pass('1 minute')
    expect(await states(), 'any report counts').toEqual(['building', 'building, lost', 'building'])
    await pass('18 hours')
    expect(await states()).toEqual(['building, lost', 'building, lost', 'building, lost'])
  })

  test('that was loaded and has no reports stays as it was loaded', async () => {
    const { build_runs } = await tools.studio.load({
      build_runs: [{ key: 'loaded', project: tools.project, status: 'building', updated_at: '2026-01-01T00:00:00Z' }],
    })
    await pass('1 day')
    expect(await stateOf(build_runs!.loaded!.id as number)).toBe('building')
  })
})

test('a log in a report of a running build is announced to viewers', async () => {
  const { id, report, log } = await running()
  const watching = await listen({
    site: tools.studio.site,
    token: tools.studio.world.tokens.all!.token as string,
    query: 'include=all',
  })
  await report('STARTED', { logs_tail: 'Compiling\n' })
  await until(() =>
    watching.events.some(({ event_type, url }) =>
      `${event_type} ${url}`.endsWith(`progressed /projects/${tools.project}/builds/${id}`),
    ),
  )
  watching.stop()
  expect(await log()).toBe('Compiling\n')
})

describe('the end of a build', () => {
  const stored = async (id: number) =>
    (await tools.studio.db.one<{ output_log: string; chunks: number }>(sql`
      select output_log, (select count(*)::integer from build_log_chunks where build_run_id = ${id}) as chunks
      from build_runs where id = ${id}`))!

  test('turns the streamed pieces into its log, which an investigation reads', async () => {
    const { id, report, send } = await running()
    await send(0, 'Compiling\n')
    await send(10, 'Game.cpp(7): error C2065: undeclared\n')
    await report('FAILURE')
    expect(await stored(id)).toEqual({ output_log: 'Compiling\nGame.cpp(7): error C2065: undeclared\n', chunks: 0 })
  })

  test('with a complete log replaces it; later pieces are ignored', async () => {
    const { id, report, send } = await running()
    await send(0, 'one\n')
    await report('SUCCESS', { logs_tail: 'one\ntwo\n' })
    expect((await send(4, 'two\n')).json).toMatchObject({ status: 'ignored', offset: 8 })
    expect(await stored(id)).toEqual({ output_log: 'one\ntwo\n', chunks: 0 })
  })

  test('reported by another sender before the last piece: that piece is added', async () => {
    const { id, report, send } = await running()
    await send(0, 'one\n')
    await report('SUCCESS')
    expect((await send(4, 'two\n')).json).toMatchObject({ status: 'appended', offset: 8 })
    expect((await send(0, 'one\ntwo\n')).json).toMatchObject({ status: 'duplicate' })
    expect(await stored(id)).toEqual({ output_log: 'one\ntwo\n', chunks: 0 })
  })
})

describe('a second run of the same number', () => {
  test('starts a new log while the first run is still open, and its sender is told', async () => {
    const { send, log } = await running()
    await send(0, 'first\n', { stream: 'a' })
    expect((await send(0, 'second\n', { stream: 'b' })).json).toMatchObject({ status: 'appended', offset: 7 })
    expect(await send(6, 'more of the first\n', { stream: 'a' })).toMatchObject({
      status: 409,
      json: { error: 'log_superseded' },
    })
    expect(await log()).toBe('second\n')
  })

  test('leaves the log of a finished build', async () => {
    const { report, send, log } = await running()
    await send(0, 'first\n', { stream: 'a' })
    await report('FAILURE')
    expect(await send(0, 'second\n', { stream: 'b' })).toMatchObject({ status: 409, json: { error: 'log_taken' } })
    expect(await log()).toBe('first\n')
  })
})

test('two nodes that get the same piece at once write it once', async () => {
  const beside = await openStudio({}, { beside: tools.studio })
  const { post, log } = await running()
  const piece = (offset: number) => [tools.studio, beside].map((node) => post({ offset }, 'twin\n', {}, node))
  for (let i = 0; i < 10; i++) {
    const answers = await Promise.all(piece(5 * i))
    expect(answers.map(({ json }) => json.status).toSorted()).toEqual(['appended', 'duplicate'])
  }
  expect(await log()).toBe('twin\n'.repeat(10))
  await beside.close()
})

describe('refused with an error', () => {
  test.each([
    ['an unknown build', { build_number: 'never reported', offset: 0 }, 404, 'unknown_build'],
    ['no job', { job_name: '', offset: 0 }, 422, 'invalid_parameter'],
    ['no offset', {}, 422, 'invalid_parameter'],
    ['an invalid offset', { offset: -1 }, 422, 'invalid_parameter'],
    ['a name too long for an index', { build_number: 'x'.repeat(501), offset: 0 }, 422, 'invalid_parameter'],
  ])('%s', async (_, query, status, error) => {
    const { post } = await running()
    expect(await post(query, 'text')).toMatchObject({ status, json: { error } })
  })

  test('an unknown encoding, invalid gzip, and gzip that expands too much', async () => {
    const { post } = await running()
    const sent = async (raw: Buffer<ArrayBuffer>, encoding: string) =>
      (await post({ offset: 0 }, raw, { 'content-encoding': encoding })).status
    expect(await sent(Buffer.from('x'), 'br')).toBe(415)
    expect(await sent(Buffer.from('x'), 'gzip')).toBe(415)
    expect(await sent(gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'gzip')).toBe(413)
    expect((await post({ offset: 0 }, Buffer.alloc(5 * 1024 * 1024, 'x'))).status).toBe(413)
  })

  test('a token of another tool, no token, and an inactive project', async () => {
    const { post } = await running()
    const sent = async (token: string) => (await post({ offset: 0 }, 'x', { 'x-webhook-token': token })).status
    expect(await sent(tools.tokenOf('github'))).toBe(404)
    expect(await sent('')).toBe(401)
    expect(await sent(tools.tokenOf('paused'))).toBe(403)
  })
})

test('a build of another project is unknown, whatever its name', async () => {
  const { post } = await running()
  const other = await tools.studio.load({
    accounts: [{ key: 'fox', name: 'Fox' }],
    projects: [{ key: 'moon', account: 'fox', name: 'Moon' }],
    integrations: [{ key: 'moon-ci', project: 'moon', provider: 'jenkins' }],
  })
  const token = other.integrations['moon-ci']!.webhook_token
  expect((await post({ offset: 0 }, 'x', { 'x-webhook-token': token })).status).toBe(404)
})

test('steps of a report are those of the build; invalid ones are dropped', async () => {
  const at = '2026-03-01T10:00:00.000Z'
  const { id } = await running({
    phase: 'cooking',
    steps: [
      { name: 'compiling', status: 'completed', started_at: at, finished_at: at },
      { name: 'cooking', status: 'running', detail: '400 of 660' },
      { name: 'odd', status: 'EXPLODED' },
      7,
    ],
  })
  expect(await tools.api(`build_runs/${id}`)).toMatchObject({
    phase: 'cooking',
    steps: [
      { name: 'compiling', status: 'completed', started_at: at },
      { name: 'cooking', status: 'running', detail: '400 of 660' },
    ],
  })
})
