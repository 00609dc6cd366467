import type { AppReply } from '../../contract/app/routes.ts'
import type { Contents, Deployment } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { placed } from '../branches/positions.ts'
import { columns, find } from '../deployments/deployments.ts'
import { WENT_LIVE } from '../deployments/live.ts'
import { contentsBetween, findEarlier } from './build-contents.ts'

/** The changes of a deployment that the previous live one on its track did not contain. */
export async function changesOf(db: Database, owner: ProjectKey, id: string): Promise<AppReply<'compareDeployment'>> {
  const deployment = await find(db, owner, id)
  const since = await liveBefore(db, owner, deployment.id)
  return { ...(await between(db, owner, deployment.build_run_id, since)), since: since ?? null }
}

/** How many deployments are read to find the newest of each track. */
const NEWS_LOOK = 200
const NEWS_MAX = 30

/** The first changes of the newest deployment of each track of each store, if they are known: as many as fit into a line. */
export async function storeNews(db: Database, owner: ProjectKey): Promise<AppReply<'listStoreNews'>['news']> {
  const newest = await db.rows<{ id: string }>(sql`
    select id from (
      select distinct on (platform, store, track) id, created_at, number from (
        select * from deployments where account_id = ${owner.account_id} and project_id = ${owner.project_id}
          order by created_at desc, number desc limit ${NEWS_LOOK}) d
      order by platform, store, track, created_at desc, number desc) d
    order by created_at desc, number desc limit ${NEWS_MAX}`)
  const news: AppReply<'listStoreNews'>['news'] = []
  // Sequential: one page must not take a connection per store from other requests.
  for (const { id } of newest) {
    const { basis, changes, has_more, since } = await changesOf(db, owner, id)
    if (basis === 'unknown') continue
    const line = changes[0]?.description.split('\n', 1)[0] ?? null
    news.push({ deployment_id: id, changes: changes.length, has_more, since: since?.version ?? null, newest: line })
  }
  return news
}

/** The previous version on the track: the last deployment that went live there before this one and was not rolled back. */
const liveBefore = (db: Database, { account_id, project_id }: ProjectKey, id: string) =>
  db.one<Deployment>(sql`
    select ${columns} from deployments this, lateral (
      select d.* from deployments d
      where d.account_id = ${account_id} and d.project_id = ${project_id} and d.platform = this.platform and d.store = this.store
        and d.track = this.track
        and d.id <> this.id and ${WENT_LIVE}
        and (d.went_live_at, d.number) < (coalesce(this.went_live_at, 'infinity'), this.number)
      order by d.went_live_at desc, d.number desc limit 1) d
    where this.account_id = ${account_id} and this.id = ${id}`)

/** Nothing is known for a deployment without a known build. */
const UNKNOWN: Contents = { changes: [], doubtful: [], branch: '', basis: 'unknown', has_more: false }

async function between(
  db: Database,
  owner: ProjectKey,
  buildId: string | null,
  earlier: Deployment | undefined,
): Promise<Contents> {
  const to = await placed(db, { ...owner, id: Number(buildId) })
  const since = to && earlier && (await findEarlier(db, owner, Number(earlier.build_run_id), to))
  if (!to || (earlier && !since)) return UNKNOWN
  return contentsBetween(db, owner, to, since)
}
