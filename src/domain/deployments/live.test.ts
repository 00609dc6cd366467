import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn, type Visitor } from '../../../test/support/callers/visitor.ts'
import { openTools, type Tools } from '../../../test/support/tools.ts'

/** What is live, in whatever order it is reported. */

let tools: Tools
let kim: Visitor
beforeAll(async () => {
  tools = await openTools()
  kim = await signIn(tools.studio, 'kim@example.com', 'a long enough password')
})
afterAll(() => tools.close())

/** A store of its own for each test. */
let store = ''
let stores = 0
let own = new Set<string>()
beforeEach(() => {
  store = `store-${++stores}`
  own = new Set()
})

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString()
const say = async (event: string, secondsAgo: number | null, more: object = {}) => {
  const { json } = await tools.deployment({
    platform: store,
    event,
    build_number: 1,
    ...(secondsAgo !== null && { timestamp: ago(secondsAgo) }),
    ...more,
  })
  own.add(json.records[0].id)
  return json.records[0].id as string
}
const shown = (id: string) => tools.api(`deployments/${id}`)

describe('the status of a deployment', () => {
  test('does not go back when an older report arrives later', async () => {
    const id = await say('released', 4_000)
    await say('review_started', 4_500)
    expect(await shown(id)).toMatchObject({ status: 'live', current: true, submitted_at: expect.any(String) })
  })

  test('stays rolled back when the release is reported once more', async () => {
    const released = ago(2_000)
    const id = await say('released', null, { timestamp: released })
    await say('rolled_back', 1_000)
    await say('released', null, { timestamp: released, note: 'again' })
    expect(await shown(id)).toMatchObject({ status: 'rolled_back', current: false, live_at: released })
  })

  test('is rolled back although the release is reported after the rollback, and has the time of the release', async () => {
    const released = ago(2_000)
    const id = await say('rolled_back', 1_000)
    await say('released', null, { timestamp: released })
    expect(await shown(id)).toMatchObject({ status: 'rolled_back', current: false, live_at: released })
  })

  test('is what was reported last if a clock was ahead', async () => {
    const id = await say('released', -7_200)
    expect(Date.parse((await shown(id)).live_at)).toBeLessThanOrEqual(Date.now())
    await say('rolled_back', null)
    expect(await shown(id)).toMatchObject({ status: 'rolled_back', current: false })
  })

  test('of reports with one time is the furthest, in either order', async () => {
    const timestamp = ago(3_000)
    const one = await say('released', null, { timestamp })
    await say('approved', null, { timestamp })
    const other = await say('approved', null, { timestamp, build_number: 2 })
    await say('released', null, { timestamp, build_number: 2 })
    expect([(await shown(one)).status, (await shown(other)).status]).toEqual(['live', 'live'])
  })

  test('goes on when the store reports something newer, and its version is the one reported last', async () => {
    const id = await say('submitted', 900, { version: '1.1' })
    await say('created', 1_800, { version: '1.0' })
    await say('approved', 600)
    expect(await shown(id)).toMatchObject({ status: 'approved', version: '1.1' })
  })

  test('has the reason that the store gave in its history', async () => {
    const id = await say('failed', 900, { reason: 'TRC R4009: crash on suspend' })
    const { history } = await tools.api(`deployments/${id}/history`)
    expect(history[0]).toMatchObject({ kind: 'status', after: 'rejected', note: 'TRC R4009: crash on suspend' })
  })

  test('set by a person stays when an older report of the store arrives', async () => {
    const id = await say('submitted', 900)
    const path = `/projects/${tools.project}/deployments/${id}`
    await kim.app(path, { method: 'PATCH', body: { status: 'rejected', note: 'Crash on suspend' } })
    await say('approved', 600)
    expect((await shown(id)).status).toBe('rejected')
    await say('approved', null)
    expect((await shown(id)).status).toBe('approved')
  })
})

describe('what is live', () => {
  const ownOf = (deployments: { id: string }[]) => deployments.map(({ id }) => id).filter((id) => own.has(id))
  const searched = async (current: boolean) =>
    ownOf((await tools.api(`search/deployments?current=${current}&limit=100`)).deployments)
  const live = () => searched(true)
  const onOverview = async () => {
    const { json } = await kim.app(`/projects/${tools.project}/overview`)
    return ownOf(json.live)
  }

  test('is the deployment that went live last by the time of the store, on every surface', async () => {
    const newer = await say('released', 1_000, { build_number: 2, version: '2' })
    const older = await say('released', 2_000, { build_number: 1, version: '1' })
    const beta = await say('released', 3_000, { build_number: 3, version: '3', track: 'beta' })
    const uploaded = await say('submitted', 500, { build_number: 4, version: '4' })
    expect(await shown(newer)).toMatchObject({ current: true, replaced_by: null })
    expect(await shown(older)).toMatchObject({ status: 'live', current: false, replaced_by: newer })
    expect(await shown(beta)).toMatchObject({ current: true, replaced_by: null })
    expect(await shown(uploaded)).toMatchObject({ current: false, replaced_by: null })
    expect((await live()).sort()).toEqual([newer, beta].sort())
    expect((await onOverview()).sort()).toEqual([newer, beta].sort())
    expect(await searched(false)).toEqual([uploaded, older])
  })

  test('is the version before after a rollback', async () => {
    const older = await say('released', 2_000, { build_number: 1 })
    const newer = await say('released', 1_000, { build_number: 2 })
    await say('rolled_back', 500, { build_number: 2 })
    expect(await shown(newer)).toMatchObject({ current: false, replaced_by: null })
    expect(await shown(older)).toMatchObject({ current: true, replaced_by: null })
    expect([await live(), await onOverview()]).toEqual([[older], [older]])
  })

  test('is still what went live while a new review of it runs', async () => {
    const id = await say('released', 2_000)
    await say('review_started', 1_000)
    expect(await shown(id)).toMatchObject({ status: 'in_review', current: true })
    expect([await live(), await onOverview()]).toEqual([[id], [id]])
  })
})
