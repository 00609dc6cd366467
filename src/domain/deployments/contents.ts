import type { OwnReply } from '../../contract/app/routes.ts'
import type { Contents, Deployment } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { contentsBetween } from '../builds/contents.ts'
import { placed } from '../builds/positions.ts'
import { columns, find } from './deployments.ts'

interface Owner {
  account_id: number
  project_id: number
}

/** What a deployment holds and the one that was live on its platform before did not. */
export async function changesOf(db: Database, owner: Owner, id: string): Promise<OwnReply<'compareDeployment'>> {
  const deployment = await find(db, owner.project_id, id)
  const since = await liveBefore(db, owner, deployment.id)
  return { ...(await between(db, owner, deployment.build_run_id, since)), since: since ?? null }
}

const liveBefore = (db: Database, { project_id }: Owner, id: string) =>
  db.one<Deployment>(sql`
    select ${columns} from deployments d join deployments this on this.id = ${id}
    where d.project_id = ${project_id} and d.platform = this.platform and d.live_at is not null
      and (d.created_at, d.number) < (this.created_at, this.number)
    order by d.created_at desc, d.number desc limit 1`)

/** Nothing can be said where a deployment has no build that is known. */
const UNKNOWN: Contents = { changes: [], branch: '', basis: 'unknown', has_more: false }

async function between(db: Database, owner: Owner, buildId: string | null, earlier: Deployment | undefined): Promise<Contents> {
  const find = (id: string | null, branch?: Sql) => placed(db, { ...owner, id: Number(id) }, branch)
  const to = await find(buildId)
  const since = to && earlier && (await find(earlier.build_run_id, sql`${to.branch}::text`))
  if (!to || (earlier && !since)) return UNKNOWN
  return contentsBetween(db, owner, to, since)
}
