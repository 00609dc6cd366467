import { readFileSync } from 'node:fs'
import { type ProviderName, SCOPES } from '../../../src/contract/sets.ts'
import { sql } from '../../../src/db/database.ts'
import type { Sample } from '../files/samples.ts'
import { openStudio } from '../studio.ts'
import { workOffAll } from '../work-off.ts'

const PROVIDERS_FOLDER = new URL('../../../src/intake/providers/', import.meta.url)

/** A recorded delivery by its file name. */
export const recorded = (provider: ProviderName, name: string): Sample => ({
  name,
  ...JSON.parse(readFileSync(new URL(`${provider.replace('_', '-')}/fixtures/${name}.json`, PROVIDERS_FOLDER), 'utf8')),
})

/** A project with one integration, and functions that send as its tool. */
export async function openProviderRoom(provider: ProviderName, signing_secret?: string) {
  const studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    integrations: [{ key: 'tool', project: 'star', provider, ...(signing_secret && { signing_secret }) }],
  })
  const { id: project } = studio.world.projects.star!
  const { id: integration, webhook_token } = studio.world.integrations.tool!
  const account_id = studio.world.accounts.owl!.id as number
  const api = async (path: string) =>
    (await studio.ask(`/api/v1/projects/${project}/${path}`, { token: studio.world.tokens.kim!.token })).json
  const send = (body: unknown, headers: Record<string, string> = {}, path: string = provider) =>
    studio.ask(`/webhooks/${path}?token=${webhook_token}`, { method: 'POST', body, headers })
  return {
    studio,
    project,
    integration: integration as number,
    account_id,
    api,
    send,
    /** Sends a recorded delivery; `more` replaces parts of its body. */
    replay: (name: string, more: object = {}) => {
      const { body, headers, path } = recorded(provider, name)
      return send({ ...(body as object), ...more }, headers, path)
    },
    /** Enters a server under Server access. */
    connect: (config: object) =>
      studio.db.execute(sql`update integrations set config = ${JSON.stringify(config)}::jsonb where id = ${integration}`),
    work: () => workOffAll(studio, account_id),
    builds: async () => (await api('build_runs')).build_runs,
    /** What is stored of the build with this number. */
    build: (number: string) =>
      studio.db.one<Record<string, unknown>>(sql`
        select id, status, kind, ci_job_name, branch, target_branch, pull_request, shelf, commit_hash, changelist, url, agent, platform, configuration, output_log
        from build_runs where account_id = ${account_id} and build_number = ${number}`),
    references: () =>
      studio.db.rows<Record<string, unknown>>(sql`select key, title, state, url, assignee_uid, deleted_at is not null as deleted
        from external_references where account_id = ${account_id} order by id`),
    deliveries: () =>
      studio.db.rows<{ outcome: string; status: number; message: string; event: string }>(sql`
        select outcome, status, message, event from deliveries where account_id = ${account_id} order by id`),
    close: () => studio.close(),
  }
}
