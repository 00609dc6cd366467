import { createHmac } from 'node:crypto'
import { PROVIDERS } from '../../../src/contract/sets.ts'
import type { Loaded } from '../../../src/world/loaded.ts'
import { nightOwl } from '../../../test/support/studios/night-owl.ts'

export const PASSWORD = 'a long enough password'
export const SIGNING = 'shared with the tool'

/** Fuzzing deletes, signs out and revokes: every slice has a separate world in the same database. */
export const worldOf = (slice: number) => ({
  ...nightOwl,
  users: nightOwl.users.map((user) => ({ ...user, email: emailOf(user.key, slice), password: PASSWORD })),
  integrations: PROVIDERS.map((provider) => ({
    key: provider,
    project: 'star',
    provider,
    ...(signed(provider) && { signing_secret: SIGNING }),
  })),
})

export const emailOf = (user: string, slice: number) => `${user}${slice}@example.com`

const signed = (provider: string) => provider === 'buildkite' || provider === 'jenkins'

/** A valid signature, so that the code after the check is tested too. */
export function signatureFor(path: string, raw: string): Record<string, string> {
  const hex = (text: string) => createHmac('sha256', SIGNING).update(text).digest('hex')
  if (path.endsWith('build_notification')) return { 'x-jenkins-signature': `sha256=${hex(raw)}` }
  if (path !== 'buildkite') return {}
  const timestamp = Math.floor(Date.now() / 1000)
  return { 'x-buildkite-signature': `timestamp=${timestamp},signature=${hex(`${timestamp}.${raw}`)}` }
}

/** Existing ids, by the name of their parameter. */
export function idsOf(world: Loaded): Record<string, string[]> {
  const all = (list: string) => Object.values(world[list as 'tasks'] ?? {}).map(({ id }) => String(id))
  const records = ['tasks', 'build_runs', 'assets', 'approvals', 'changes', 'deployments', 'integrations'].flatMap((list) =>
    all(list).slice(0, 8),
  )
  return {
    project_id: [String(world.projects.star!.id), ...all('projects')],
    account_id: [String(world.accounts.owl!.id), ...all('accounts')],
    build_run_id: all('build_runs').slice(0, 30),
    asset_id: all('assets').slice(0, 30),
    user_id: all('users'),
    id: records,
  }
}
