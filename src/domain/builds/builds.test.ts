import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { visitor, workshop } from '../../../test/support/studios/workshop.ts'
import { BUILD_STATUSES, BUILD_TYPES, TARGET_TYPES } from '../../contract/sets.ts'
import { sql } from '../../db/database.ts'

const LOG = 'step 1 by kim@example.com\nerror: it broke\r\n\nsee lodash@4.17.21 and Max <max@example.com>\nError: again\nlast'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    ...workshop,
    build_runs: [
      {
        key: 'full',
        project: 'star',
        status: 'failed',
        build_type: 'unity',
        target_type: 'shipping',
        ci_job_name: 'night',
        build_number: 42,
        commit_hash: 'abc',
        changelist: 4711,
        branch: 'main',
        phase: 'cooking',
        duration_seconds: 61,
        started_at: '2026-01-01T00:00:00Z',
        finished_at: '2026-01-01T00:01:01Z',
        output_log: LOG,
        artifacts: [{ name: 'game.zip', size_bytes: 5_000_000_000, url: 'https://ci/game.zip' }, { name: 'no size' }],
        created_at: '2027-01-01',
        updated_at: '2027-01-02',
      },
      { key: 'bare', project: 'star', created_at: '2026-12-01' },
      { key: 'empty-log', project: 'star', output_log: '', created_at: '2026-12-01' },
      { key: 'newline', project: 'star', output_log: 'one\ntwo\nthree\n', created_at: '2026-12-01' },
      ...BUILD_STATUSES.map((status, i) => ({
        key: status,
        project: 'moon',
        status,
        build_type: BUILD_TYPES[i % 3],
        target_type: TARGET_TYPES[i % 4],
        ci_job_name: status,
        created_at: new Date(Date.UTC(2026, 0, 1 + i)).toISOString(),
      })),
    ],
  })
  const build = Number(id('build_runs', 'full'))
  const { account_id: account } = (await studio.db.one<{ account_id: number }>(
    sql`select account_id from build_runs where id = ${build}`,
  ))!
  await studio.db.execute(sql`
    insert into build_steps (account_id, build_run_id, name, status, started_at, finished_at, duration_seconds, detail)
    values (${account}, ${build}, 'cook', 'completed', '2026-01-01', '2026-01-01 00:00:30', 30, 'cooked for kim@example.com'),
      (${account}, ${build}, 'link', 'running', null, null, null, '')`)
})
afterAll(() => studio.close())

const { id, inside } = visitor(() => studio)
const show = async (key: string) => (await inside(`/build_runs/${id('build_runs', key)}`)).json

describe('a build', () => {
  test('has its fields, its artifacts and its steps', async () => {
    const project = id('projects', 'star')
    expect(await show('full')).toEqual({
      id: id('build_runs', 'full'),
      project_id: project,
      status: 'failed',
      build_type: 'unity',
      target_type: 'shipping',
      ci_job_name: 'night',
      build_number: '42',
      commit_hash: 'abc',
      changelist: '4711',
      branch: 'main',
      kind: 'regular',
      platform: null,
      configuration: 'Shipping',
      agent: null,
      measures: null,
      phase: 'cooking',
      duration_seconds: 61,
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:01:01.000Z',
      created_at: '2027-01-01T00:00:00.000Z',
      updated_at: '2027-01-02T00:00:00.000Z',
      lost_at: null,
      urls: { web: `https://gold.example/projects/${project}/builds/${id('build_runs', 'full')}` },
      artifacts: [
        { name: 'game.zip', size_bytes: 5_000_000_000, url: 'https://ci/game.zip' },
        { name: 'no size', size_bytes: null, url: '' },
      ],
      steps: [
        {
          name: 'cook',
          status: 'completed',
          started_at: '2026-01-01T00:00:00.000Z',
          finished_at: '2026-01-01T00:00:30.000Z',
          duration_seconds: 30,
          detail: 'cooked for kim',
        },
        { name: 'link', status: 'running', started_at: null, finished_at: null, duration_seconds: null, detail: '' },
      ],
      investigation: null,
    })
  })

  test('without any report yet has nulls for times and empty text for the rest', async () => {
    expect(await show('bare')).toMatchObject({
      status: 'queued',
      build_type: 'unreal',
      target_type: 'development',
      ci_job_name: '',
      build_number: '',
      commit_hash: '',
      changelist: '',
      branch: '',
      phase: '',
      duration_seconds: null,
      started_at: null,
      finished_at: null,
      artifacts: [],
      steps: [],
      investigation: null,
    })
  })

  test('includes its newest investigation, without any address', async () => {
    await studio.db.execute(sql`
      insert into investigations (account_id, build_run_id, status, diagnosis, suggested_fix, attributed_user_id, category, confidence,
        steps, evidence, suspects, created_at, finished_at)
      values (${Number(id('accounts', 'owl'))}, ${Number(id('build_runs', 'bare'))}, 'completed', 'kim@example.com broke it', 'ask kim@example.com',
        ${Number(id('users', 'artist'))}, 'compile_error', 'high', '[{"name":"read","status":"done","detail":"a@example.com"}]',
        '[{"line":2,"text":"by b@example.com"}]', '[{"change_id":1,"user_id":null,"score":0.5,"reasons":["c@example.com"],"reason_codes":["other"]}]',
        '2026-01-01', '2026-01-02')`)
    const { investigation } = await show('bare')
    expect(investigation).toEqual({
      investigation_id: expect.stringMatching(/^\d+$/),
      status: 'completed',
      diagnosis: 'kim broke it',
      suggested_fix: 'ask kim',
      attributed_user_id: Number(id('users', 'artist')),
      steps: [{ name: 'read', status: 'done', detail: 'a' }],
      category: 'compile_error',
      confidence: 'high',
      who_acts: 'code',
      retry_may_help: false,
      evidence: [{ line: 2, text: 'by b' }],
      suspects: [
        {
          change_id: 1,
          user_id: null,
          score: 0.5,
          reasons: ['c'],
          reason_codes: ['other'],
          author: null,
          display_identifier: null,
        },
      ],
      created_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-02T00:00:00.000Z',
    })
  })
})

describe('the list of builds', () => {
  const jobs = async (query: string) => {
    const { status, json, text } = await inside(`/build_runs?${query}`, { project: 'moon' })
    expect(status, text).toBe(200)
    return json.build_runs.map((one: { ci_job_name: string }) => one.ci_job_name)
  }
  const newestFirst = [...BUILD_STATUSES].reverse()

  test('has entries without artifacts, steps and log', async () => {
    const { json } = await inside('/build_runs?limit=1')
    const { artifacts, steps, investigation, ...entry } = await show('full')
    expect(json).toEqual({ build_runs: [entry], pagination: { limit: 1, has_more: true } })
    expect([artifacts.length, steps.length, investigation]).toEqual([2, 2, null])
  })

  test('is filtered by status, type, target and all of them', async () => {
    for (const status of BUILD_STATUSES) expect(await jobs(`status=${status}`)).toEqual([status])
    for (const [i, type] of BUILD_TYPES.entries())
      expect(await jobs(`build_type=${type}`)).toEqual(newestFirst.filter((job) => BUILD_STATUSES.indexOf(job) % 3 === i))
    for (const [i, type] of TARGET_TYPES.entries())
      expect(await jobs(`target_type=${type}`)).toEqual(newestFirst.filter((job) => BUILD_STATUSES.indexOf(job) % 4 === i))
    expect(await jobs(`status=preparing&build_type=unity&target_type=shipping`)).toEqual(['preparing'])
    expect(await jobs(`status=preparing&build_type=unreal`)).toEqual([])
    expect(await jobs('')).toEqual(newestFirst)
  })

  test('rejects the status success and accepts only one status', async () => {
    for (const status of ['success', 'failed,queued', 'passed'])
      expect(await inside(`/build_runs?status=${status}`)).toMatchObject({
        status: 422,
        json: { error: 'invalid_status', valid_statuses: [...BUILD_STATUSES] },
      })
  })

  test('accepts no cursor', async () => {
    expect(await inside('/build_runs?cursor=x')).toMatchObject({ status: 422, json: { error: 'unknown_parameter' } })
  })
})

describe('the log of a build', () => {
  const log = (key: string, query: Record<string, string> = {}) =>
    inside(`/build_runs/${id('build_runs', key)}/log?${new URLSearchParams(query)}`)
  const LINES = ['step 1 by kim', 'error: it broke\r', '', 'see lodash@4.17.21 and Max <max>', 'Error: again', 'last']
  const text = (lines: string[]) => lines.map((line) => `${line}\n`).join('')

  test('is plain text without addresses', async () => {
    const answer = await log('full')
    expect(answer).toMatchObject({ status: 200, text: LINES.join('\n') })
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await log('newline')).text).toBe('one\ntwo\nthree\n')
  })

  test('is empty if there is none', async () => {
    for (const key of ['bare', 'empty-log'])
      for (const query of [{}, { tail: '5' }, { search: 'x' }] as Record<string, string>[]) {
        const answer = await log(key, query)
        expect(answer).toMatchObject({ status: 200, text: '' })
        expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      }
  })

  test('is cut to its last lines', async () => {
    expect((await log('full', { tail: '1' })).text).toBe('last\n')
    expect((await log('full', { tail: '3' })).text).toBe(text(LINES.slice(-3)))
    expect((await log('newline', { tail: '2' })).text).toBe('two\nthree\n')
    for (const tail of ['6', '7', '99999999999999999999']) expect((await log('full', { tail })).text).toBe(text(LINES))
  })

  test('is searched for the literal text', async () => {
    expect((await log('full', { search: 'error' })).text).toContain('error: it broke')
    expect((await log('full', { search: 'error' })).text).not.toContain('last')
    expect((await log('full', { search: 'none of this' })).text).toBe('')
    expect((await log('full', { search: '.*' })).text).toBe('')
    expect((await log('full', { search: '' })).text).toBe('')
  })

  test('cannot be searched for an address', async () => {
    expect((await log('full', { search: 'kim@example.com' })).text).toBe('')
    expect((await log('full', { search: '@example' })).text).toBe('')
  })

  test('is filtered first and then cut', async () => {
    expect((await log('full', { search: 'rror', tail: '1' })).text).toBe('Error: again\n')
  })

  test('accepts a positive number of lines', async () => {
    for (const tail of ['0', '-1', 'x', '', '1.5', '1e3'])
      expect(await log('full', { tail }), tail).toMatchObject({ status: 422, json: { error: 'invalid_parameter' } })
  })
})
