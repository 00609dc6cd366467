import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { commit, push } from '../../../../test/support/tools.ts'

let studio: Studio
let line: CommandLine
const STAGES = [
  { name: 'review', project_role: 'approver', approvals: 1 },
  { name: 'tech', project_role: 'lead' },
]
beforeAll(async () => {
  studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'lead', accounts: { owl: 'owner' } }],
    projects: [
      { key: 'star', account: 'owl', name: 'Star', members: { lead: 'owner' }, approval_rules: [{ path: '*', stages: STAGES }] },
    ],
    integrations: [{ key: 'github', project: 'star', provider: 'github' }],
    tokens: [{ key: 'lead', user: 'lead', name: 'lead', scopes: ['read:projects', 'read:assets', 'write:assets'] }],
  })
  line = new CommandLine({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: studio.world.tokens!.lead!.token as string })
  expect((await line.run(['use', String(studio.world.projects!.star!.id)])).code).toBe(0)
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

let made = 0
const submit = (added: string[], modified: string[] = []) =>
  studio.ask(`/webhooks/github?token=${studio.world.integrations!.github!.webhook_token}`, {
    method: 'POST',
    body: push([commit(String(++made).padStart(40, 'e'), { added, modified })]),
    headers: { 'x-github-event': 'push' },
  })
const pending = async () =>
  JSON.parse((await line.run(['approvals', 'list', '--status', 'pending', '--json'])).out) as { id: string; asset_id: string }[]

test('an approval of a stage says which stage the asset waits for now', async () => {
  await submit(['Content/T_Staged.png'])
  const [first] = await pending()
  const { out } = await line.run(['approvals', 'approve', first!.id])
  expect(out).toBe('Approved stage review of T_Staged.png version 1. It now waits for tech.\n')
  expect((await line.run(['assets', 'show', first!.asset_id])).out).toMatch(/next stage +tech/)
  const [second] = await pending()
  expect((await line.run(['approvals', 'approve', second!.id])).out).toBe('T_Staged.png version 1 is approved.\n')
})

test('a version that is no longer the newest is not decided', async () => {
  await submit(['Content/T_Seen.png'])
  const [request] = await pending()
  await submit([], ['Content/T_Seen.png'])
  const { code, err, out } = await line.run(['approvals', 'approve', request!.id, '--asset-version', '1'])
  expect([code, err + out]).toEqual([expect.any(Number), expect.stringContaining('T_Seen.png has a newer version (2)')])
  expect(code).not.toBe(0)
  expect(await pending()).toMatchObject([{ id: request!.id }])
  expect((await line.run(['approvals', 'deny', request!.id, '--asset-version', '2'])).out).toBe(
    'T_Seen.png version 2 is denied.\n',
  )
  expect((await line.run(['approvals', 'deny', request!.id, request!.id, '--asset-version', '2'])).err).toContain(
    '--asset-version is for one asset',
  )
})
