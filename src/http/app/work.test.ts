import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { signIn, type Visitor } from '../../../test/support/visitor.ts'

const PASSWORD = 'a long enough password'
const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour)).toISOString()
const change = (n: number) => ({
  key: `c${n}`,
  project: 'star',
  identifier: `abc${n}`,
  source_type: 'GitCommit',
  timestamp: at(n),
})
const build = (n: number) => ({ key: `b${n}`, project: 'star', status: 'completed', commit_hash: `abc${n}`, created_at: at(n) })
const deployment = (key: string, n: number, more: object) => ({
  key,
  project: 'star',
  platform: 'steam',
  created_at: at(n),
  ...more,
})

let studio: Studio
let lead: Visitor
let place: string
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    tokens: [{ key: 'all', user: 'lead', name: 'all', scopes: ['read:tasks'] }],
    projects: [{ key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' } }],
    changes: [1, 2, 3, 4].map(change),
    build_runs: [1, 3].map(build),
    deployments: [
      deployment('first', 1, { build_run: 'b1', status: 'live', live_at: at(2) }),
      deployment('turned_down', 2, { build_run: 'b1', status: 'rejected' }),
      deployment('second', 3, { build_run: 'b3', status: 'in_review' }),
      deployment('unknown', 4, { status: 'pending' }),
    ],
    tasks: [{ key: 'k', project: 'star', title: 'Old title', description: 'Old words' }],
  })
  lead = await signIn(studio, 'lead@example.com', PASSWORD)
  place = `/projects/${studio.world.projects.star!.id}`
})
afterAll(() => studio.close())

const compare = async (key: string) => (await lead.app(`${place}/deployments/${studio.world.deployments[key]!.id}/changes`)).json

describe('what a deployment brought', () => {
  test('is the changes after the build that was live there before, up to its own', async () => {
    const { since, basis, changes } = await compare('second')
    expect(since.id).toBe(studio.world.deployments.first!.id)
    expect(basis).toBe('time')
    expect(changes.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['abc3', 'abc2'])
  })

  test('is everything so far where nothing was live before', async () => {
    expect(await compare('first')).toMatchObject({ since: null, basis: 'time', changes: [{ identifier: 'abc1' }] })
  })

  test('stays open where its build is not known', async () => {
    expect(await compare('unknown')).toMatchObject({ basis: 'unknown', changes: [] })
  })
})

describe('a task made by hand', () => {
  test('names its maker by id in the feed, and to the web app alone in the task', async () => {
    const made = (await lead.app(`${place}/tasks`, { method: 'POST', body: { task: { title: 'By hand' } } })).json
    const user = studio.world.users.lead!.id
    expect(made).not.toHaveProperty('created_by_user_id')
    expect((await lead.app(`${place}/tasks/${made.id}`)).json.created_by_user_id).toBe(user)
    const { events } = (await lead.app('/workspace/events')).json
    const event = events.find(({ target_ref }: { target_ref: string }) => target_ref === `task #${made.id}`)
    expect(event).toMatchObject({ actor: `user:${user}` })
    expect(JSON.stringify(event)).not.toContain('Lead')
    const token = studio.world.tokens.all!.token as string
    const detail = (await studio.ask(`/api/v1${place}/tasks/${made.id}`, { token })).json
    expect(detail.title).toBe('By hand')
    expect(detail).not.toHaveProperty('created_by_user_id')
  })

  test('whose maker is not known stays without one', async () => {
    const { json } = await lead.app(`${place}/tasks/${studio.world.tasks.k!.id}`)
    expect(json.created_by_user_id).toBeNull()
  })
})

describe('the words of a task', () => {
  const revise = (body: object) => lead.app(`${place}/tasks/${studio.world.tasks.k!.id}/words`, { method: 'PATCH', body })

  test('change when they are still what the writer saw', async () => {
    const { status, json } = await revise({ seen: { description: 'Old words' }, task: { description: 'New words' } })
    expect([status, json.description, json.title]).toEqual([200, 'New words', 'Old title'])
  })

  test('stay when somebody else was faster, and come back with the refusal', async () => {
    const { status, json } = await revise({ seen: { description: 'Old words' }, task: { description: 'Mine' } })
    expect([status, json.error, json.current.description]).toEqual([409, 'edited_meanwhile', 'New words'])
    expect((await lead.app(`${place}/tasks/${studio.world.tasks.k!.id}`)).json.description).toBe('New words')
  })

  test('are refused like everywhere when they are too long', async () => {
    expect((await revise({ seen: {}, task: { title: '   ' } })).status).toBe(422)
  })
})
