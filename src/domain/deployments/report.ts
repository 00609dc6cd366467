import type { DeploymentStatus, Platform } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { takeTurn } from '../builds/turns.ts'
import type { Place } from '../integrations/place.ts'
import { linkDeployment } from '../tasks/links.ts'

interface DeploymentReport {
  platform: Platform
  /** Within integration and platform, what makes two reports speak of the same deployment. */
  key: string
  build_number?: string
  status?: DeploymentStatus
  uploaded?: true
  branch?: string
  version?: string
  external_id?: string
  external_build_id?: string
  commit?: string
  build_run_id?: number
  at?: string
}

/** Makes the deployment or moves it on; absent fields stay as they are known. */
export async function report(db: Database, place: Place, told: DeploymentReport): Promise<{ id: string; number: number }> {
  const { status } = told
  const at = sql`coalesce(${told.at ?? null}::timestamptz, now())`
  const submitted = sql`case when ${status === 'submitted' || status === 'in_review'} then ${at} end`
  const deployed = sql`case when ${told.uploaded === true || status === 'live'} then ${at} end`
  const live = sql`case when ${status === 'live'} then ${at} end`
  await takeTurn(db, place.project_id)
  const found = (await db.one<{ id: string; number: number }>(sql`
    insert into deployments as d (account_id, project_id, integration_id, external_key, platform, status, branch, version, external_id,
      external_build_id, build_run_id, submitted_at, deployed_at, live_at)
    values (${place.account_id}, ${place.project_id}, ${place.integration_id}, ${told.key}, ${told.platform}, ${status ?? 'pending'},
      ${told.branch ?? ''}, ${told.version ?? ''}, ${told.external_id ?? ''}, ${told.external_build_id ?? ''}, ${buildOf(place, told)},
      ${submitted}, ${deployed}, ${live})
    on conflict (integration_id, platform, external_key) do update set
      status = coalesce(${status ?? null}, d.status), branch = coalesce(${told.branch ?? null}, d.branch),
      version = coalesce(${told.version ?? null}, d.version), external_id = coalesce(${told.external_id ?? null}, d.external_id),
      external_build_id = coalesce(${told.external_build_id ?? null}, d.external_build_id),
      build_run_id = coalesce(excluded.build_run_id, d.build_run_id), submitted_at = coalesce(d.submitted_at, excluded.submitted_at),
      deployed_at = coalesce(d.deployed_at, excluded.deployed_at), live_at = coalesce(excluded.live_at, d.live_at), updated_at = now()
    returning d.id, d.number`))!
  await linkDeployment(db, found.id)
  return found
}

/** The build that was shipped: named, else by its commit, else the newest with that number. */
const buildOf = (place: Place, { build_run_id, commit, build_number }: DeploymentReport) => sql`coalesce(
  (select id from build_runs where project_id = ${place.project_id} and id = ${build_run_id ?? null}::integer),
  (select id from build_runs where project_id = ${place.project_id} and commit_hash = ${commit ?? null}::text and commit_hash <> ''
    order by created_at desc, id desc limit 1),
  (select id from build_runs where project_id = ${place.project_id} and build_number = ${build_number ?? null}::text and build_number <> ''
    order by created_at desc, id desc limit 1))`
