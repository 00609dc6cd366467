import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { Delivery } from '../provider.ts'
import type { SetupContext } from '../setup.ts'
import { setup as asana } from './asana/setup.ts'
import { setup as azureDevops } from './azure-devops/setup.ts'
import { setup as bitbucket } from './bitbucket/setup.ts'
import { setup as circleci } from './circleci/setup.ts'
import { setup as clickup } from './clickup/setup.ts'
import { setup as diversion } from './diversion/setup.ts'
import { setup as gitea } from './gitea/setup.ts'
import { setup as github } from './github/setup.ts'
import { setup as gitlab } from './gitlab/setup.ts'
import { providers } from './index.ts'
import { jira as jiraProvider } from './jira/index.ts'
import { setup as jira } from './jira/setup.ts'
import { setup as linear } from './linear/setup.ts'
import { lore as loreProvider } from './lore/index.ts'
import { setup as lore } from './lore/setup.ts'
import { setup as monday } from './monday/setup.ts'
import { setup as perforce } from './perforce/setup.ts'
import { setup as plastic } from './plastic/setup.ts'
import { setup as shortcut } from './shortcut/setup.ts'
import { setup as subversion } from './subversion/setup.ts'
import { setup as trello } from './trello/setup.ts'
import { setup as youtrack } from './youtrack/setup.ts'

const token = 'ab'.repeat(32)
const contextOf = (name: string): SetupContext => ({
  token,
  base_url: 'https://goldmaster.example',
  id: 7,
  url: `https://goldmaster.example/webhooks/${name}?token=${token}`,
})

const blocks = (guide: string, language = '') =>
  [...guide.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, content]) => (kind === language ? [content!] : []))

const delivery = (body: unknown): Delivery => ({
  path: '',
  headers: {},
  raw: Buffer.from(JSON.stringify(body)),
  body,
  url: '',
  received: new Date(),
  config: {},
})

const guides = {
  asana,
  azure_devops: azureDevops,
  bitbucket,
  circleci,
  plastic,
  subversion,
  clickup,
  youtrack,
  shortcut,
  diversion,
  gitea,
  github,
  gitlab,
  jira,
  linear,
  lore,
  monday,
  perforce,
  trello,
}

describe.each(Object.entries(guides))('the guide for %s', (name, setup) => {
  const guide = setup(contextOf(name))

  test('has the URL to call, token included', () => {
    expect(guide).toContain(contextOf(name).url)
  })

  test.skipIf(process.platform === 'win32')('has only shell that a plain shell can parse', () => {
    for (const script of blocks(guide, 'sh')) expect(spawnSync('sh', ['-n'], { input: script }).stderr.toString()).toBe('')
  })

  test('has a value in every placeholder', () => {
    expect(guide).not.toMatch(/undefined|\$\{|\[object/)
  })
})

test('a Jira rule with the suggested body can be read', () => {
  const values: Record<string, string> = {
    'issue.key': 'GAME-12',
    'issue.url': 'https://studio.atlassian.net/browse/GAME-12',
    'issue.summary.asJsonString': JSON.stringify('Say "hello"\\'),
    'issue.status.name.asJsonString': '"In Review"',
    'issue.assignee.accountId': '',
    'issue.updated': '2020-08-18T02:40:37.0+0000',
  }
  const suggested = blocks(jira(contextOf('jira'))).find((block) => block.startsWith('{'))!
  const body = JSON.parse(suggested.replace(/\{\{(.*?)\}\}/g, (_, name) => values[name]!))
  expect(jiraProvider.read(delivery(body))).toEqual([
    {
      kind: 'reference',
      key: 'GAME-12',
      title: 'Say "hello"\\',
      state: 'In Review',
      url: 'https://studio.atlassian.net/browse/GAME-12',
      assignee_uid: null,
      at: '2020-08-18T02:40:37.000Z',
    },
  ])
})

test('the example revision of the Lore guide can be read in full', () => {
  const shown = /<<'END'\n([\s\S]*?)END\n/.exec(lore(contextOf('lore')))?.[1] ?? ''
  expect(loreProvider.read(delivery(JSON.parse(shown)))).toEqual([
    expect.objectContaining({
      identifier: '<hash>',
      branch: 'main',
      author: 'Name <name@example.com>',
      description: 'New dragon, GM-42',
      timestamp: '2026-03-01T12:00:00.000Z',
      files: [{ path: 'art/dragon.fbx', action: 'add', size_bytes: 1048576 }],
    }),
  ])
})

test('the guides of signing tools show how to save their secret without a page', () => {
  const signing = Object.values(providers).filter(({ signing }) => signing !== 'handed_over')
  expect(signing.length).toBeGreaterThan(5)
  for (const { setup } of signing) expect(setup(contextOf('x'))).toContain('`goldmaster admin integration secret 7`')
})

test('the guides of tools that give up on a paused project show how to reconnect', () => {
  for (const guide of [asana, linear]) expect(guide(contextOf('x'))).toContain('If the project was paused')
})
