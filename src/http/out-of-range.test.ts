import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../test/support/callers/visitor.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { sql } from '../db/database.ts'

/** Numbers and texts that no column can hold are refused with an error, never with a 5xx. */

const PASSWORD = 'a long enough password'
const TOO_MUCH = 2 ** 31
/** No record has such a large number. */
const TOO_FAR = 2 ** 53
const LONG = randomBytes(6_000).toString('base64')

let studio: Studio
let lead: Visitor
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } }],
    integrations: ['jenkins', 'game_engine', 'deployment', 'perforce', 'lore', 'jira', 'github', 'linear', 'diversion'].map(
      (provider) => ({
        key: provider,
        project: 'star',
        provider,
      }),
    ),
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
})
afterAll(() => studio.close())

const deliver = (path: string, body: object, headers: Record<string, string> = {}) => {
  const { webhook_token } = studio.world.integrations[path.split('/')[0]!]!
  return studio.ask(`/webhooks/${path}?token=${webhook_token}`, { method: 'POST', body, headers })
}
const REPORT = { job_name: 'night', build_number: 1, status: 'SUCCESS' }
const ENGINE = { job_name: 'night', build_number: 1 }
const STORE = { platform: 'steam', event: 'uploaded', build_number: 1 }

describe('a webhook', () => {
  test.each([
    ['jenkins', 'duration_seconds', { ...REPORT, duration_seconds: TOO_MUCH }],
    ['jenkins', 'duration_seconds', { ...REPORT, duration_seconds: '1e300' }],
    ['jenkins', 'duration', { ...REPORT, duration: 1e300 }],
    ['game_engine/shaders_completed', 'duration_seconds', { ...ENGINE, duration_seconds: TOO_MUCH }],
    ['game_engine/build_completed', 'duration_seconds', { ...ENGINE, duration_seconds: 1e18 }],
    ['game_engine/build_failed', 'build_run_id', { build_run_id: TOO_FAR }],
    ['game_engine/build_failed', 'build_run_id', { ...ENGINE, build_run_id: String(TOO_FAR) }],
    ['deployment', 'build_run_id', { ...STORE, build_run_id: TOO_FAR }],
  ])('of %s refuses %s out of range: %j', async (path, field, body) => {
    const answer = await deliver(path, body)
    expect(answer).toMatchObject({ status: 422, json: { message: expect.stringContaining(field) } })
  })

  test('accepts times 130 years apart, and the maximum duration', async () => {
    const times = { started_at: '1970-01-01T00:00:00Z', finished_at: '2099-12-31T00:00:00Z' }
    const [far, late, longest] = ['far', 'late', 'longest'].map((job_name) => ({ ...REPORT, job_name }))
    expect((await deliver('jenkins', { ...far, ...times })).status).toBe(200)
    expect((await deliver('jenkins', { ...late, status: 'STARTED', started_at: times.started_at })).status).toBe(200)
    expect((await deliver('jenkins', { ...late, finished_at: times.finished_at })).status).toBe(200)
    expect((await deliver('jenkins', { ...longest, duration_seconds: TOO_MUCH - 1 })).status).toBe(200)
    const rows = await studio.db.rows<{ duration_seconds: number }>(
      sql`select duration_seconds from build_runs where ci_job_name in ('far', 'late', 'longest') order by id`,
    )
    // An end after its receipt becomes the time of receipt.
    const [, sinceThen] = rows.map(({ duration_seconds }) => duration_seconds)
    expect(rows.map(({ duration_seconds }) => duration_seconds)).toEqual([TOO_MUCH - 1, sinceThen, TOO_MUCH - 1])
    expect(sinceThen).toBeGreaterThan(50 * 365 * 86_400)
  })

  test("with an implausible duration in a plugin's own field is accepted without it", async () => {
    const body = { name: 'night', build: { number: 7, phase: 'FINALIZED', status: 'SUCCESS', duration: 1e300 } }
    expect((await deliver('jenkins', body)).status).toBe(200)
  })

  test.each([
    ['jenkins', { ...REPORT, job_name: LONG }],
    ['jenkins', { ...REPORT, build_number: LONG }],
    ['jenkins', { ...REPORT, commit: LONG }],
    ['jenkins', { ...REPORT, changelist: LONG }],
    ['jenkins', { ...REPORT, branch: LONG }],
    ['jenkins', { ...REPORT, phase: LONG }],
    ['game_engine/cooking_started', { build_id: LONG }],
    ['game_engine/asset_cooked', { ...ENGINE, assets: [{ path: LONG, ok: false }] }],
    ['deployment', { ...STORE, build_number: LONG }],
    ['deployment', { ...STORE, version: LONG }],
    ['deployment', { ...STORE, branch: LONG }],
    ['deployment', { ...STORE, external_id: LONG }],
    ['deployment', { ...STORE, platform: LONG }],
    ['perforce', { changelist: 12, files: [{ path: `//a/${LONG}.png`, action: 'add' }], user: LONG }],
    ['perforce', { changelist: '9'.repeat(6_000) }],
    ['lore', { revision: LONG }],
    ['jira', { webhookEvent: 'jira:issue_created', issue: { key: LONG, fields: { summary: LONG } } }],
  ])('of %s with a text too long for an index is refused or accepted: %.60j', async (path, body) => {
    const answer = await deliver(path, body)
    expect([200, 202, 422], answer.text).toContain(answer.status)
  })
})

describe('a path', () => {
  test.each([
    '%00',
    'a%00b',
    '%ED%A0%80',
    `${TOO_MUCH}`,
    `${TOO_FAR - 1}`,
    `${TOO_FAR}`,
    '9'.repeat(400),
    '-1',
    '1e3',
    '0x10',
    '%F0%9F%92%A9',
  ])('with %s finds nothing', async (id) => {
    const account = studio.world.accounts.owl!.id
    const project = studio.world.projects.star!.id
    for (const [method, path] of [
      ['PUT', `/accounts/${account}/failure_rules/${id}`],
      ['DELETE', `/accounts/${account}/failure_rules/${id}`],
      ['DELETE', `/accounts/${account}/webhooks/${id}`],
      ['GET', `/accounts/${account}/webhooks/1/deliveries/${id}`],
      ['GET', `/projects/${project}/deliveries/${id}`],
      ['GET', `/projects/${project}/integrations/${id}`],
      ['GET', `/projects/${project}/tasks/${id}`],
      ['GET', `/projects/${project}/assets/${id}`],
      ['GET', `/projects/${project}/deployments/${id}`],
      ['GET', `/invitations/${id}`],
      ['GET', `/projects/${id}/settings`],
    ] as const) {
      const answer = await lead.app(path, { method, ...(method === 'PUT' && { body: {} }) })
      expect([404, 405], `${method} ${path}: ${answer.status} ${answer.text}`).toContain(answer.status)
    }
  })
})

test('a world file with numbers out of range, or times ten thousand years apart, is refused or accepted', async () => {
  const build = (more: object) => ({ build_runs: [{ project: studio.world.projects.star!.id, ...more }] })
  await expect(studio.load(build({ duration_seconds: TOO_MUCH }))).rejects.toThrow('duration_seconds must be an integer')
  await studio.load(build({ ci_job_name: 'aeon', started_at: '0001-01-01T00:00:00Z', finished_at: '9999-12-31T23:59:59Z' }))
  const row = await studio.db.one(sql`select duration_seconds from build_runs where ci_job_name = 'aeon'`)
  expect(row).toEqual({ duration_seconds: TOO_MUCH - 1 })
})

test('a commit that occurs twice in one delivery is one change, as first reported', async () => {
  const commits = [
    { id: 'same', message: 'first' },
    { id: 'same', message: 'second' },
  ]
  const answer = await deliver('diversion', { commits })
  expect(answer).toMatchObject({ status: 200, json: { status: 'processed', records: [{ type: 'change' }] } })
  expect(answer.json.records).toHaveLength(1)
  expect(await studio.db.rows(sql`select description from changes where identifier = 'same'`)).toEqual([{ description: 'first' }])
})
