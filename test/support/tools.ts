import { randomUUID } from 'node:crypto'
import { PROVIDERS, SCOPES } from '../../src/contract/sets.ts'
import { type Answer, type Asking, openStudio, type Studio, type StudioSettings } from './studio.ts'

/** The secret of the signed integration. */
export const SECRET = 'shared with the tool'

const integration = (provider: string, more: object = {}) => ({ key: provider, project: 'star', provider, ...more })

const world = {
  accounts: [{ key: 'owl', name: 'Night Owl' }],
  users: [
    {
      key: 'kim',
      email: 'kim@example.com',
      name: 'Kim',
      password: 'a long enough password',
      accounts: { owl: 'owner' },
      connected_accounts: [{ provider: 'github', uid: 'Kim-Dev' }],
    },
  ],
  projects: [
    { key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal' },
    { key: 'paused', account: 'owl', name: 'Paused', status: 'paused' },
    { key: 'archived', account: 'owl', name: 'Archived', status: 'archived' },
  ],
  tokens: [{ key: 'all', user: 'kim', name: 'all', scopes: SCOPES }],
  integrations: [
    ...PROVIDERS.map((provider) => integration(provider)),
    integration('github', { key: 'signed', signing_secret: SECRET }),
    integration('github', { key: 'off', active: false }),
    integration('jenkins', { key: 'paused', project: 'paused' }),
    integration('jenkins', { key: 'archived', project: 'archived' }),
  ],
  tasks: [{ key: 'task', project: 'star', title: 'Fix the moon' }],
}

/** A project with an integration of every tool, and functions that send as these tools. */
export interface Tools {
  studio: Studio
  project: number
  /** The webhook token of an integration. */
  tokenOf(key: string): string
  /** Calls the REST API inside the project. */
  api(path: string, asking?: Asking): Promise<Answer['json']>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  github(body: unknown, headers?: Record<string, string>, key?: string): Promise<Answer>
  /** The flat report of any CI. */
  ci(body: object): Promise<Answer>
  deployment(body: object): Promise<Answer>
  close(): Promise<void>
}

export async function openTools(settings: StudioSettings = {}): Promise<Tools> {
  const studio = await openStudio(world, settings)
  const project = studio.world.projects.star!.id
  const token = studio.world.tokens.all!.token
  const tokenOf = (key: string) => studio.world.integrations[key]!.webhook_token
  const post: Tools['post'] = (path, body, headers = {}) => studio.ask(`/webhooks/${path}`, { method: 'POST', body, headers })
  return {
    studio,
    project,
    tokenOf,
    post,
    api: async (path, asking = {}) => (await studio.ask(`/api/v1/projects/${project}/${path}`, { token, ...asking })).json,
    github: (body, headers = {}, key = 'github') =>
      post(`github?token=${tokenOf(key)}`, body, { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), ...headers }),
    ci: (body) => post(`ci?token=${tokenOf('jenkins')}`, body),
    deployment: (body) => post(`deployment?token=${tokenOf('deployment')}`, body),
    close: () => studio.close(),
  }
}

/** GitHub's push event. */
export const push = (commits: object[], more: object = {}) => ({
  ref: 'refs/heads/main',
  before: 'b'.repeat(40),
  after: 'a'.repeat(40),
  repository: { full_name: 'owl/star' },
  commits,
  ...more,
})

export const commit = (id: string, more: object = {}) => ({
  id,
  message: 'Paint the sky',
  timestamp: '2026-10-01T10:00:00+02:00',
  author: { name: 'Kim Doe', email: 'kim@example.com', username: 'kim-dev' },
  added: ['Content/Sky/T_Sky.png'],
  modified: ['Source/Sky.cpp', 'README'],
  removed: [],
  ...more,
})
