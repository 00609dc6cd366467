import type { OwnReply } from '../../contract/app/routes.ts'
import { PLATFORMS } from '../../contract/sets.ts'
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

/** What the newest deployment of each store brought, where that can be said: as much as fits into a line. */
export async function storeNews(db: Database, owner: Owner): Promise<OwnReply<'listStoreNews'>['news']> {
  const newest = await db.rows<{ id: string }>(sql`
    select d.id from unnest(${[...PLATFORMS]}::text[]) p (platform), lateral (
      select d.id from deployments d where d.project_id = ${owner.project_id} and d.platform = p.platform
      order by d.created_at desc, d.number desc limit 1) d`)
  const news: OwnReply<'listStoreNews'>['news'] = []
  // One after the other: a page must not take a connection for every store from those who wait for one.
  for (const { id } of newest) {
    const { basis, changes, has_more, since } = await changesOf(db, owner, id)
    if (basis === 'unknown') continue
    const line = changes[0]?.description.split('\n', 1)[0] ?? null
    news.push({ deployment_id: id, changes: changes.length, has_more, since: since?.version ?? null, newest: line })
  }
  return news
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
