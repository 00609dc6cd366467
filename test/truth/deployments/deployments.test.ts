import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../../src/contract/sets.ts'
import { openStudio, type Studio } from '../../support/studio.ts'
import { groupsOf, PATIENCE_MS } from '../groups.ts'
import { expectedDeployments } from './oracle.ts'
import { makeReleases, type Report } from './world.ts'

let studio: Studio
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'enterprise', credits: null }],
    users: [{ key: 'ann', email: 'ann@example.com', name: 'Ann', accounts: { owl: 'owner' } }],
    tokens: [{ key: 'ann', user: 'ann', name: 'ann', scopes: SCOPES }],
  })
})
afterAll(() => studio.close())

async function release(seed: number) {
  const { reports, regime } = makeReleases(seed)
  const account = studio.world.accounts.owl!.id
  const { projects } = await studio.load({ projects: [{ key: 'p', account, name: `Releases ${seed}` }] })
  const project = projects!.p!.id
  const { integrations } = await studio.load({ integrations: [{ key: 'store', project, provider: 'deployment' }] })
  const now = Date.now()
  const send = async ({ track, build, event, ago }: Report, isReversed = false) => {
    const timestamp = new Date(now - ago * 60_000).toISOString()
    const told = { platform: 'google_play', event, build_number: String(build), version: `1.${build}`, track, timestamp }
    const body = isReversed ? Object.fromEntries(Object.entries(told).reverse()) : told
    const answer = await studio.ask(`/webhooks/deployment?token=${integrations!.store!.webhook_token}`, { method: 'POST', body })
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  const list = async () => {
    const token = studio.world.tokens.ann!.token
    return (await studio.ask(`/api/v1/projects/${project}/deployments?limit=50`, { token })).json.deployments
  }
  const check = async (done: readonly Report[], where: string) => {
    const shown: Record<string, string>[] = await list()
    const buildOf = new Map(shown.map(({ id, version }) => [id, Number(version!.slice(2))]))
    const found = shown.map(({ track, version, status, current, replaced_by }) => ({
      track,
      build: Number(version!.slice(2)),
      status,
      current,
      replacedBy: replaced_by ? buildOf.get(replaced_by) : null,
    }))
    const inOrder = (a: { track?: string; build: number }, b: typeof a) =>
      a.track! < b.track! ? -1 : a.track === b.track ? a.build - b.build : 1
    expect(found.sort(inOrder), where).toEqual(expectedDeployments(done).sort(inOrder))
  }
  for (const [index, report] of reports.entries()) {
    await send(report)
    if (index % 5 === 4) await check(reports.slice(0, index + 1), `seed ${seed}, ${regime}, after ${index + 1} reports`)
  }
  await check(reports, `seed ${seed}, ${regime}, at the end`)
  const before = JSON.stringify(await list())
  for (const report of reports) await send(report, true)
  await check(reports, `seed ${seed}, ${regime}, all reports once more`)
  const withoutUpdates = (text: string) => text.replaceAll(/"updated_at":"[^"]*"/g, '')
  expect(withoutUpdates(JSON.stringify(await list())), `seed ${seed}: all reports once more`).toBe(withoutUpdates(before))
}

test.each(groupsOf('1-12'))(
  'deployments follow the time of their store in worlds $first to $last',
  { timeout: PATIENCE_MS },
  async ({ seeds }) => {
    for (const seed of seeds) await release(seed)
  },
)
