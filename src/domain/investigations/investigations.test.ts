import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overlapping } from '../../../test/support/blocked.ts'
import { runInvestigation } from '../../../test/support/run-investigation.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { sql } from '../../db/database.ts'
import { refund } from './investigations.ts'

/** Concurrent requests, few enough to have a connection each. */
const MANY = 6

const COMPILE_ERROR = `[1/3] Compile Combat.cpp
Source\\Game\\Combat.cpp(540): error C2065: 'Damage': undeclared identifier
[2/3] Link Game.exe
Result: Failed (OtherCompilationError)
`

let studio: Studio
beforeAll(async () => {
  const at = (minute: number) => new Date(Date.UTC(2026, 9, 1, 10, minute)).toISOString()
  const build = (key: string, minute: number, status: string, more: object = {}) => ({
    key,
    project: 'star',
    status,
    ci_job_name: 'night',
    branch: 'main',
    build_number: key,
    created_at: at(minute),
    started_at: at(minute),
    finished_at: at(minute + 1),
    ...more,
  })
  const change = (key: string, minute: number, author: string, file: string) => ({
    key,
    project: 'star',
    identifier: key,
    source_type: 'Changelist',
    author,
    description: `Work on ${file}`,
    timestamp: at(minute),
    files: [{ path: `//star/main/${file}`, action: 'edit' }],
  })
  studio = await openStudio({
    accounts: [
      { key: 'owl', name: 'Night Owl', plan: 'team', credits: 50, daily_limit: 40 },
      { key: 'poor', name: 'Poor', plan: 'team', credits: 1 },
      { key: 'free', name: 'Free', plan: 'free', credits: 50 },
      { key: 'own', name: 'Own', plan: 'enterprise', credits: null },
    ],
    users: [
      {
        key: 'kim',
        email: 'kim@example.com',
        name: 'Kim',
        accounts: { owl: 'owner', poor: 'owner', free: 'owner', own: 'owner' },
      },
      {
        key: 'ann',
        email: 'ann@example.com',
        name: 'Ann',
        accounts: { owl: 'member' },
        connected_accounts: [{ provider: 'perforce', uid: 'AnnP4' }],
      },
      { key: 'lee', email: 'lee@example.com', name: 'Lee', accounts: { poor: 'member' } },
    ],
    projects: ['star:owl', 'poor:poor', 'free:free', 'own:own'].map((pair) => {
      const [key, account] = pair.split(':')
      return { key, account, name: key }
    }),
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: ['write:builds', 'read:builds'] }],
    changes: [
      change('100', 1, 'Old Hand', 'Source/Game/Menu.cpp'),
      change('101', 3, 'Kim <kim@example.com>', 'Source/Game/Combat.cpp'),
      change('102', 3, 'annp4', 'Content/Sky/T_Sun.uasset'),
      change('103', 4, 'Lee <lee@example.com>', 'Content/Sky/T_Sky.uasset'),
    ],
    build_runs: [
      build('passed', 2, 'completed', { changelist: '100', output_log: 'warning: usual noise\nBUILD SUCCESSFUL\n' }),
      build('broken', 5, 'failed', { changelist: '103', output_log: COMPILE_ERROR }),
      build('again', 7, 'failed', { changelist: '103', output_log: COMPILE_ERROR }),
      build('both', 7, 'failed', { branch: 'both', commit_hash: '101', changelist: '103', output_log: COMPILE_ERROR }),
      build('turned', 7, 'failed', { branch: 'turned', commit_hash: '103', changelist: '101', output_log: COMPILE_ERROR }),
      build('silent', 8, 'failed', { branch: 'silent' }),
      ...Array.from({ length: 5 }, (_, i) =>
        build(`parallel${i}`, 9, 'failed', { branch: 'p', output_log: 'error: it broke\n' }),
      ),
      ...Array.from({ length: 4 }, (_, i) => ({ ...build(`poor${i}`, 9, 'failed'), project: 'poor', output_log: 'error: x\n' })),
      ...Array.from({ length: 5 }, (_, i) => ({ ...build(`free${i}`, 9, 'failed'), project: 'free', output_log: 'error: x\n' })),
      ...Array.from({ length: 2 }, (_, i) => ({ ...build(`own${i}`, 9, 'failed'), project: 'own', output_log: 'error: x\n' })),
    ],
  })
})
afterAll(() => studio.close())

const id = (kind: string, key: string) => studio.world[kind as 'users']![key]!.id as number
const token = () => studio.world.tokens!.kim!.token as string
const path = (key: string, project = 'star') => `/api/v1/projects/${id('projects', project)}/build_runs/${id('build_runs', key)}`
const investigate = (key: string, project = 'star') =>
  studio.ask(`${path(key, project)}/investigate`, { method: 'POST', token: token() })
const show = async (key: string) => (await studio.ask(path(key), { token: token() })).json.investigation
const credits = async (account: string) =>
  (await studio.db.one<{ credits: number }>(sql`select credits from accounts where id = ${id('accounts', account)}`))!.credits

describe('an investigation', () => {
  test('whose database fails briefly is retried', async () => {
    const { json } = await investigate('parallel4')
    const busy = (text: string) =>
      text.includes('fingerprint') && Promise.reject(Object.assign(new Error('too slow'), { code: '57014' }))
    const db = { ...studio.db, one: ((query) => busy(query.text) || studio.db.one(query)) as typeof studio.db.one }
    await expect(runInvestigation(db, json.investigation_id)).rejects.toThrow('too slow')
    expect(await show('parallel4')).toMatchObject({ status: 'running' })
    await runInvestigation(studio.db, json.investigation_id)
    expect(await show('parallel4')).toMatchObject({ status: 'completed' })
  })

  test('starts pending, finds the line and the change, and is free afterwards', async () => {
    const before = await credits('owl')
    const begun = await investigate('broken')
    expect(begun).toMatchObject({
      status: 202,
      json: { status: 'pending', diagnosis: null, suggested_fix: null, attributed_user_id: null, steps: [] },
    })
    expect((await investigate('broken')).json).toEqual(begun.json)
    await runInvestigation(studio.db, begun.json.investigation_id)
    const again = await investigate('broken')
    expect(again.status).toBe(200)
    expect(again.json).toMatchObject({
      investigation_id: begun.json.investigation_id,
      status: 'completed',
      category: 'compile_error',
      attributed_user_id: id('users', 'kim'),
      diagnosis: expect.stringContaining('Combat.cpp'),
      suggested_fix: expect.any(String),
      evidence: [{ line: 2, text: expect.stringContaining('C2065') }],
    })
    expect(again.json.suspects[0]).toMatchObject({
      change_id: id('changes', '101'),
      user_id: id('users', 'kim'),
      author: 'Kim',
      display_identifier: 'CL 101',
      reasons: expect.arrayContaining([expect.stringContaining('Combat.cpp')]),
      reason_codes: expect.arrayContaining(['file_named']),
    })
    expect(again.json.suspects.map((one: { change_id: number }) => one.change_id)).not.toContain(id('changes', '100'))
    expect(again.json.steps.length).toBeGreaterThan(4)
    expect(again.json).not.toHaveProperty('attributed_author')
    expect(again.text).not.toContain('@')
    expect(await show('broken')).toEqual(again.json)
    expect(await credits('owl')).toBe(before - 1)
  })

  test('matches members by address and by name in version control, and nobody of another account', async () => {
    const { suspects } = await show('broken')
    const userOf = (change: string) =>
      suspects.find((one: { change_id: number }) => one.change_id === id('changes', change)).user_id
    expect(['101', '102', '103'].map(userOf)).toEqual([id('users', 'kim'), id('users', 'ann'), null])
  })

  test.each(['both', 'turned'])('of a build that names two changes (%s) considers all up to the newer one', async (key) => {
    const { json } = await investigate(key)
    await runInvestigation(studio.db, json.investigation_id)
    const weighed = (await show(key)).suspects.map((one: { change_id: number }) => one.change_id)
    expect(weighed).toContain(id('changes', '103'))
  })

  test('of the same failure inherits its result', async () => {
    const { json } = await investigate('again')
    await runInvestigation(studio.db, json.investigation_id)
    const { steps, attributed_user_id } = await show('again')
    expect(steps.at(-1)).toMatchObject({ name: 'inherit' })
    expect(attributed_user_id).toBe(id('users', 'kim'))
  })

  test('is repeated when the log has changed or the first one failed', async () => {
    const first = await show('broken')
    await studio.db.execute(sql`update build_runs set output_log = output_log || 'more' where id = ${id('build_runs', 'broken')}`)
    const second = await investigate('broken')
    expect(second.status).toBe(202)
    expect(second.json.investigation_id).not.toBe(first.investigation_id)
    await studio.db.execute(sql`update investigations set status = 'failed' where id = ${Number(second.json.investigation_id)}`)
    expect((await investigate('broken')).status).toBe(202)
  })

  test('without a log reports that with low confidence and refunds the credit', async () => {
    const before = await credits('owl')
    const { json } = await investigate('silent')
    expect(await credits('owl')).toBe(before - 1)
    await runInvestigation(studio.db, json.investigation_id)
    expect(await show('silent')).toMatchObject({
      status: 'completed',
      category: 'infrastructure',
      confidence: 'low',
      attributed_user_id: null,
    })
    expect(await credits('owl')).toBe(before)
  })

  test('is refused unless the build failed', async () => {
    expect(await investigate('passed')).toMatchObject({
      status: 422,
      json: { error: 'build_not_failed', message: expect.any(String) },
    })
  })

  test('that runs twice at once finishes once', async () => {
    const { json } = await investigate('parallel0')
    const before = await credits('owl')
    await Promise.all([1, 2, 3].map(() => runInvestigation(studio.db, json.investigation_id)))
    expect(await show('parallel0')).toMatchObject({ status: 'completed' })
    expect(await credits('owl')).toBe(before)
  })
})

describe('credits and daily limits', () => {
  test('without limited credits nothing is charged or refunded', async () => {
    const answers = await Promise.all(['own0', 'own1'].map((key) => investigate(key, 'own')))
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    for (const { json } of answers)
      await refund(studio.db, { account_id: id('accounts', 'own'), id: Number(json.investigation_id) })
    expect(await credits('own')).toBeNull()
  })

  test('many concurrent requests for one build start one investigation and cost one credit', async () => {
    const before = await credits('owl')
    const held = sql`select from accounts where id = ${studio.world.accounts!.owl!.id} for update`
    const settled = await overlapping(studio.db, held, MANY, () => Array.from({ length: MANY }, () => investigate('parallel1')))
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(MANY - 1)
    expect(new Set(answers.map(({ json }) => json.investigation_id)).size).toBe(1)
    expect(await credits('owl')).toBe(before - 1)
  })

  test('the last credit is spent once, however many builds need it at once', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => investigate(`poor${i}`, 'poor')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 402, 402, 402])
    expect(answers.find(({ status }) => status === 402)!.json).toEqual({
      error: 'insufficient_credits',
      message: expect.any(String),
    })
    expect(await credits('poor')).toBe(0)
  })

  test('the daily limit of the plan applies until midnight UTC, and refunded ones do not count', async () => {
    const untilMidnight = () => 86_400 - ((Date.now() / 1000) % 86_400)
    const before = untilMidnight()
    const answers = await Promise.all(Array.from({ length: 5 }, (_, i) => investigate(`free${i}`, 'free')))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429, 429])
    const refused = answers.find(({ status }) => status === 429)!
    expect(refused.json).toEqual({ error: 'daily_limit_reached', message: expect.any(String) })
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(untilMidnight() - 2)
    expect(wait).toBeLessThan(before + 2)
    const [made] = answers.filter(({ status }) => status === 202)
    await studio.db.execute(
      sql`update investigations set refunded_at = now(), status = 'failed' where id = ${Number(made!.json.investigation_id)}`,
    )
    const next = answers.findIndex(({ status }) => status === 429)
    expect((await investigate(`free${next}`, 'free')).status).toBe(202)
  })
})
