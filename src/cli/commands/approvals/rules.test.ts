import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'
import { nightOwl } from '../../../../test/support/studios/night-owl.ts'
import { commit, push } from '../../../../test/support/tools.ts'
import { SCOPES } from '../../../contract/sets.ts'

let studio: Studio
let line: CommandLine
let project: number
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  project = Number(studio.world.projects!.star!.id)
  const made = await studio.load({
    integrations: [{ key: 'rules-gh', project, provider: 'github' }],
    tokens: [{ key: 'lead', user: Number(studio.world.users!.lead!.id), name: 'lead', scopes: SCOPES }],
  })
  line = new CommandLine({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: made.tokens!.lead!.token as string })
  expect((await line.run(['use', String(project)])).code).toBe(0)
  const body = push([
    commit('d'.repeat(40), {
      timestamp: new Date().toISOString(),
      added: ['Content/Art/T_Crane.png', 'Content/UI/T_Icon@2x.png'],
      modified: [],
    }),
  ])
  await studio.ask(`/webhooks/github?token=${made.integrations!['rules-gh']!.webhook_token}`, {
    method: 'POST',
    body,
    headers: { 'x-github-event': 'push' },
  })
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const json = async (...args: string[]) => {
  const { code, out, err } = await line.run(['approvals', ...args, '--json'])
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return JSON.parse(out)
}
const ANY = { path: '', asset_types: [], branch: '', author: '' }

test('a project without rules lists the default rule; an added rule goes beside it', async () => {
  expect(await json('reset-rules')).toEqual({ approval_rules: null })
  const { out, err } = await line.run(['approvals', 'rules'])
  expect(out).toContain('texture')
  expect(err).toContain('default rule')
  const { approval_rules } = await json('add-rule', '--path', '*@2x.png', '--type', 'texture', '--branch', 'main')
  expect(approval_rules).toEqual([
    { ...ANY, asset_types: expect.arrayContaining(['texture', 'audio']) },
    { ...ANY, path: '*@2x.png', asset_types: ['texture'], branch: 'main', gate: false },
  ])
})

test('rules are removed by number, and a number that is none is refused', async () => {
  await json('reset-rules')
  await json('add-rule', '--author', 'Kim*')
  expect(await json('remove-rule', '1')).toEqual({ approval_rules: [{ ...ANY, author: 'Kim*', gate: false }] })
  expect(await line.run(['approvals', 'remove-rule', '2'])).toMatchObject({ code: 2, err: expect.stringContaining('No rule 2') })
  expect(await line.run(['approvals', 'remove-rule', '0'])).toMatchObject({ code: 2 })
  expect(await json('remove-rule', '1')).toEqual({ approval_rules: [] })
  expect((await line.run(['approvals', 'rules'])).err).toContain('nothing needs approval')
})

test('a rule takes stages, sizes and roles, and says so', async () => {
  await json('reset-rules')
  const given = ['--larger-than', '20MB', '--author-role', 'guest', '--stage', 'art:approver:2', '--stage', 'tech:lead', '--gate']
  const { approval_rules } = await json('add-rule', ...given)
  expect(approval_rules[1]).toEqual({
    ...ANY,
    larger_than: 20_000_000,
    author_roles: ['guest'],
    stages: [
      { name: 'art', project_role: 'approver', user_ids: [], approvals: 2 },
      { name: 'tech', project_role: 'lead', user_ids: [], approvals: 1 },
    ],
    gate: true,
  })
  const { out } = await line.run(['approvals', 'rules'])
  for (const words of ['20.0 MB', 'guest', 'art (2 of approver), tech (lead)']) expect(out).toContain(words)
  for (const wrong of ['art:viewer', 'art:lead:two', ':lead', 'a:lead:1:2'])
    expect((await line.run(['approvals', 'add-rule', '--stage', wrong])).code).toBe(2)
  expect((await line.run(['approvals', 'add-rule', '--larger-than', 'huge'])).code).toBe(2)
  await json('remove-rule', '2')
  await json('remove-rule', '1')
})

test('a preview shows what a further rule would have asked for, and saves nothing', async () => {
  const found = await json('preview-rule', '--path', 'Content/Art/*')
  expect(found).toMatchObject({ days: 30, assets: 1, changes: 1 })
  expect((await line.run(['approvals', 'preview-rule', '--path', 'Content/Art/*'])).out).toContain('Content/Art/T_Crane.png')
  expect(await json('rules')).toEqual({ approval_rules: [] })
})

test('whoever may only read sees rules and changes none', async () => {
  const { tokens } = await studio.load({
    tokens: [{ key: 'reader', user: Number(studio.world.users!.lead!.id), name: 'reader', scopes: ['read:assets'] }],
  })
  const env = { GOLDMASTER_TOKEN: tokens!.reader!.token as string }
  expect(await line.run(['approvals', 'rules'], { env })).toMatchObject({ code: 0 })
  const refused = await line.run(['approvals', 'add-rule', '--path', '*'], { env })
  expect(refused.code).not.toBe(0)
  expect(refused.err).toContain('admin:projects')
})
