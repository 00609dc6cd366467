import { notFound } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { Change, Contents } from '../../contract/shapes.ts'
import { type Database, type Sql, sql } from '../../db/database.ts'
import { columns, shown } from '../changes/changes.ts'
import { lastPassed, type Placed, placed } from './positions.ts'
import { namesChange, rangeBetween } from './range.ts'

interface Owner {
  account_id: number
  project_id: number
}

/** What a build holds and another did not: one that is named, else the last that passed on the same job and branch. */
export async function changesOf(
  db: Database,
  owner: Owner,
  id: number | undefined,
  sinceId?: string,
): Promise<ReplyOf<'listBuildChanges'>> {
  const build = await find(db, owner, id)
  const earlier =
    sinceId === undefined ? await lastPassed(db, build) : await find(db, owner, readId(sinceId), sql`${build.branch}::text`)
  const since = await db.one<NonNullable<ReplyOf<'listBuildChanges'>['since']>>(sql`
    select b.id::text, b.status, b.commit_hash, b.ci_job_name from build_runs b where b.id = ${earlier?.id ?? 0}`)
  return { ...(await contentsBetween(db, owner, build, earlier)), since: since ?? null }
}

async function find(db: Database, { project_id }: Owner, id: number | undefined, branch?: Sql): Promise<Placed> {
  const build = await placed(db, { project_id, id: id ?? 0 }, branch)
  if (!build) throw notFound('Build run')
  return build
}

const CONTENTS_MAX = 200

/** The changes between two builds as they are shown: by place on the branch of the later one, by time alone where one has none there. */
export async function contentsBetween(db: Database, owner: Owner, later: Placed, since: Placed | undefined): Promise<Contents> {
  const { branch } = later
  const isPlaced = later.position !== null && since?.position !== null
  const basis = isPlaced ? 'branch' : (await namesChange(db, later.id)) ? 'time' : 'unknown'
  if (basis === 'unknown') return { changes: [], branch, basis, has_more: false }
  const to = isPlaced || later.position === null ? later : { ...later, branch: '', position: null }
  const { ids, has_more } = await rangeBetween(db, owner, to, since)
  const changes = await db.rows<Change>(sql`
    select ${columns} from unnest(${ids.slice(0, CONTENTS_MAX)}::bigint[]) with ordinality held (id, place)
    join changes c on c.id = held.id order by held.place`)
  return { changes: changes.map(shown), branch, basis, has_more: has_more || ids.length > CONTENTS_MAX }
}
