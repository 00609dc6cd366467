import type { DeploymentStatus, Platform } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { lockProject } from '../builds/project-lock.ts'
import type { IntegrationContext } from '../integrations/context.ts'
import { linkDeployment } from '../tasks/links.ts'

/** What a tool says about a deployment. Absent fields stay as they are known. */
export interface Report {
  platform: Platform
  /** Within integration and platform, what makes two reports speak of the same deployment (mostly the build number). */
  key: string
  build_number?: string
  /** Absent: the word was not understood; the deployment stays in its state, `pending` when new. */
  status?: DeploymentStatus
  /** The upload is done: sets `deployed_at`. */
  uploaded?: true
  branch?: string
  version?: string
  external_id?: string
  external_build_id?: string
  commit?: string
  build_run_id?: number
  at?: string
}

/** Makes the deployment or moves it on. */
export async function report(
  db: Database,
  context: IntegrationContext,
  reported: Report,
): Promise<{ id: string; number: number }> {
  const { status } = reported
  const at = sql`coalesce(${reported.at ?? null}::timestamptz, now())`
  const submitted = sql`case when ${status === 'submitted' || status === 'in_review'} then ${at} end`
  const deployed = sql`case when ${reported.uploaded === true || status === 'live'} then ${at} end`
  const live = sql`case when ${status === 'live'} then ${at} end`
  await lockProject(db, context.project_id)
  const found = (await db.one<{ id: string; number: number }>(sql`
    insert into deployments as d (account_id, project_id, integration_id, external_key, platform, status, branch, version, external_id,
      external_build_id, build_run_id, submitted_at, deployed_at, live_at)
    values (${context.account_id}, ${context.project_id}, ${context.integration_id}, ${reported.key}, ${reported.platform}, ${status ?? 'pending'},
      ${reported.branch ?? ''}, ${reported.version ?? ''}, ${reported.external_id ?? ''}, ${reported.external_build_id ?? ''}, ${buildOf(context, reported)},
      ${submitted}, ${deployed}, ${live})
    on conflict (integration_id, platform, external_key) do update set
      status = coalesce(${status ?? null}, d.status), branch = coalesce(${reported.branch ?? null}, d.branch),
      version = coalesce(${reported.version ?? null}, d.version), external_id = coalesce(${reported.external_id ?? null}, d.external_id),
      external_build_id = coalesce(${reported.external_build_id ?? null}, d.external_build_id),
      build_run_id = coalesce(excluded.build_run_id, d.build_run_id), submitted_at = coalesce(d.submitted_at, excluded.submitted_at),
      deployed_at = coalesce(d.deployed_at, excluded.deployed_at), live_at = coalesce(excluded.live_at, d.live_at), updated_at = now()
    returning d.id, d.number`))!
  await linkDeployment(db, found.id)
  return found
}

/** The build that was shipped: named, else by its commit, else the newest with that number. */
const buildOf = (context: IntegrationContext, { build_run_id, commit, build_number }: Report) => sql`coalesce(
  (select id from build_runs where project_id = ${context.project_id} and id = ${build_run_id ?? null}::bigint),
  (select id from build_runs where project_id = ${context.project_id} and commit_hash = ${commit ?? null}::text and commit_hash <> ''
    order by created_at desc, id desc limit 1),
  (select id from build_runs where project_id = ${context.project_id} and build_number = ${build_number ?? null}::text and build_number <> ''
    order by created_at desc, id desc limit 1))`
