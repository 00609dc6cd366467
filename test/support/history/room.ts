import { expect } from 'vitest'
import { SCOPES } from '../../../src/contract/sets.ts'
import { ofAccount, type Sql, sql } from '../../../src/db/database.ts'
import { openStudio, type Studio } from '../studio.ts'
import { workOffAll } from '../work-off.ts'
import type { Build, Commit, Delivery, Deployment, Release, Tool, World } from './world.ts'

/** A studio whose tools run on this machine. */
export const openHistoryStudio = () =>
  openStudio(
    {
      accounts: [
        { key: 'owl', name: 'Night Owl', plan: 'enterprise', credits: null },
        { key: 'fox', name: 'Red Fox', plan: 'enterprise', credits: null },
      ],
      users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner', fox: 'owner' } }],
      tokens: [{ key: 'kim', user: 'kim', name: 'kim', scopes: SCOPES }],
    },
    { service: { allowedHosts: (host) => host === '127.0.0.1' } },
  )

export type HistoryRoom = Awaited<ReturnType<typeof openRoom>>
type Connected = Pick<Tool, 'provider' | 'config'> & Partial<Tool>

/** A project with one tool, which can be told by webhooks and asked by imports. */
export async function openRoom(studio: Studio, tool: Connected, account: 'owl' | 'fox' = 'owl') {
  const { provider, config, signing_secret } = tool
  const account_id = studio.world.accounts[account]!.id as number
  const { projects } = await studio.load({ projects: [{ key: 'p', account: account_id, name: `Room ${Math.random()}` }] })
  const project = projects!.p!.id as number
  const { integrations } = await studio.load({
    integrations: [{ key: 'tool', project, provider, ...(signing_secret && { signing_secret }) }],
  })
  const { id, webhook_token } = integrations!.tool! as { id: number; webhook_token: string }
  await studio.db.execute(sql`update integrations set config = ${JSON.stringify(config)}::jsonb where id = ${id}`)
  const token = studio.world.tokens.kim!.token as string
  const app = (path: string, asking: { method?: string; body?: object } = {}) =>
    studio.ask(`/api/v1/projects/${project}${path}`, { token, ...asking })
  const rows = (query: Sql) => ofAccount(studio.db, account_id).rows<Record<string, unknown>>(query)
  const tell = async (...deliveries: Delivery[]) => {
    for (const { body, headers = {} } of deliveries) {
      const told = await studio.ask(`/webhooks/${provider}?token=${webhook_token}`, { method: 'POST', body, headers })
      expect(told).toMatchObject({ json: { status: expect.stringMatching(/^(accepted|processed|stale|duplicate)$/) } })
      expect([200, 202]).toContain(told.status)
    }
  }
  return {
    id,
    project,
    account_id,
    rows,
    app,
    tell,
    work: () => workOffAll(studio, account_id),
    /** Pushes of five commits each. */
    push: async (commits: readonly Commit[]) => {
      for (let first = 0; first < commits.length; first += 5)
        await tell(...[tool.pushed!(commits.slice(first, first + 5))].flat())
    },
    build: (...builds: readonly Build[]) => tell(...builds.flatMap((build) => tool.built?.(build) ?? [])),
    deploy: (...deployments: readonly Deployment[]) => tell(...deployments.flatMap((one) => tool.deployed?.(one) ?? [])),
    release: (...releases: readonly Release[]) => tell(...releases.flatMap((one) => tool.released?.(one) ?? [])),
    import: async (days = 90) => {
      const started = await app(`/integrations/${id}/imports`, { method: 'POST', body: { days } })
      expect(started).toMatchObject({ status: 201, json: { state: 'running' } })
      await workOffAll(studio, account_id)
      const { json } = await app(`/integrations/${id}/imports`)
      return json.imports[0]
    },
    /** Everything that is told of the project, in its own order and without our own ids and times of receipt. */
    world: async () => ({
      changes: await rows(sql`
        select c.identifier, c.author, c.description, c.branch, c.timestamp, c.files, c.url, c.file_url, c.asset_count, c.orphaned_at,
          array(select p.branch || ' after ' || p.previous from change_branches p where p.change_id = c.id) as branches
        from changes c where c.project_id = ${project} order by c.identifier`),
      line: (
        await rows(sql`
          select c.identifier from change_branches p join changes c on c.id = p.change_id where p.project_id = ${project} order by p.position`)
      ).map(({ identifier }) => identifier),
      builds: await rows(sql`
        select b.external_id, b.status, b.kind, b.pull_request, b.target_branch, b.ci_job_name, b.build_number, b.commit_hash, b.changelist, b.branch,
          b.repository, b.url, b.agent, b.started_at, b.finished_at, b.duration_seconds, b.inferred_branch, b.output_log, b.artifacts, (
            select json_agg(json_build_object('name', s.name, 'status', s.status, 'detail', s.detail, 'from', s.started_at, 'to', s.finished_at) order by s.id)
            from build_steps s where s.build_run_id = b.id) as steps
        from build_runs b where b.project_id = ${project} order by b.external_id, b.ci_job_name, b.build_number`),
      deployments: await rows(sql`
        select d.external_key, d.platform, d.store, d.track, d.status, d.branch, d.version, d.external_id, d.commit_hash, d.build_basis,
          d.submitted_at, d.deployed_at, d.live_at, b.external_id as build
        from deployments d left join build_runs b on b.account_id = d.account_id and b.id = d.build_run_id
        where d.project_id = ${project} order by d.external_key`),
      references: await rows(sql`
        select key, title, state, url, assignee_uid, deleted_at from external_references where project_id = ${project} order by key`),
      assets: await rows(sql`
        select a.path, a.version, c.identifier as last from assets a left join changes c on c.id = a.last_change_id
        where a.project_id = ${project} order by a.path`),
      links: await rows(sql`
        select 'change' as kind, c.identifier as name from task_changes k join changes c on c.id = k.change_id where c.project_id = ${project}
        union all select 'build', b.ci_job_name || ' ' || b.build_number from task_build_runs k join build_runs b on b.id = k.build_run_id
          where b.project_id = ${project}
        union all select 'deployment', d.external_key from task_deployments k join deployments d on d.id = k.deployment_id
          where d.project_id = ${project} order by 1, 2`),
      branches: await rows(sql`select name, told, repository from branches where project_id = ${project} order by name`),
    }),
    /** What people or other tools would have noticed. */
    noise: async () => ({
      outbox: await rows(sql`select event_type from outbox where project_id = ${project}`),
      approvals: await rows(sql`select id from approvals where project_id = ${project}`),
      breakages: await rows(sql`select id from breakages where project_id = ${project}`),
      investigations: await rows(
        sql`select i.id from investigations i join build_runs b on b.id = i.build_run_id where b.project_id = ${project}`,
      ),
      notifications: await rows(sql`select id from notifications where project_id = ${project}`),
    }),
  }
}

/** All events of a tool, as webhooks. */
export async function tellAll(room: HistoryRoom, tool: Tool, { commits, builds, deployments, releases, issues }: World) {
  await room.tell(...(tool.filed ? issues.map(tool.filed) : []), ...(tool.more ?? []))
  if (tool.pushed) await room.push(commits)
  await room.build(...builds)
  await room.deploy(...deployments)
  await room.release(...releases)
  await room.work()
}
