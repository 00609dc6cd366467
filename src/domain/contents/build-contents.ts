import { notFound } from '../../contract/errors.ts'
import { readId } from '../../contract/params.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import type { Change, Contents } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { lastPassed, type Placed, placed } from '../branches/positions.ts'
import { columns, shown } from '../changes/changes.ts'
import { doubtedBetween, namesChange, rangeBetween } from './range.ts'
import { difference } from './shipped.ts'

/** The changes that a build contains and another does not: a given one, otherwise the last pass of the same job and branch. */
export async function changesOf(
  db: Database,
  owner: ProjectKey,
  id: number | undefined,
  sinceId?: string,
): Promise<ReplyOf<'listBuildChanges'>> {
  const build = await find(db, owner, id)
  const earlier = sinceId === undefined ? await lastPassed(db, build) : await findEarlier(db, owner, readId(sinceId), build)
  if (sinceId !== undefined && !earlier) throw notFound('Build run')
  const since = await db.one<NonNullable<ReplyOf<'listBuildChanges'>['since']>>(sql`
    select b.id::text, b.status, b.commit_hash, b.ci_job_name from build_runs b
    where b.account_id = ${owner.account_id} and b.id = ${earlier?.id ?? 0}`)
  return { ...(await contentsBetween(db, owner, build, earlier)), since: since ?? null }
}

async function find(db: Database, owner: ProjectKey, id: number | undefined): Promise<Placed> {
  const build = await placed(db, { ...owner, id: id ?? 0 })
  if (!build) throw notFound('Build run')
  return build
}

/** The place of the build to compare with: on its own branch, or on the other's if its own is unknown or of another kind. */
export async function findEarlier(
  db: Database,
  owner: ProjectKey,
  id: number | undefined,
  later: Placed,
): Promise<Placed | undefined> {
  const own = await placed(db, { ...owner, id: id ?? 0 })
  const isComparable = own && own.position !== null && own.branch !== '' && isDepot(own) === isDepot(later)
  return isComparable || !own ? own : placed(db, { ...owner, id: own.id }, sql`${later.branch}::text`)
}

const isDepot = ({ branch }: Placed) => branch.startsWith('//')

const CONTENTS_MAX = 200

/**
 * The changes that one build contains and another does not: by position on their branch, or only by time if one has no position. Builds of
 * two branches are compared as sets: a change that was never on the other branch was never in the other build, however old it is.
 */
export async function contentsBetween(
  db: Database,
  owner: ProjectKey,
  later: Placed,
  since: Placed | undefined,
): Promise<Contents> {
  const { branch } = later
  const isPlaced = later.position !== null && since?.position !== null
  const basis = isPlaced ? 'branch' : (await namesChange(db, later)) ? 'time' : 'unknown'
  if (basis === 'unknown') return { changes: [], doubtful: [], branch, basis, has_more: false }
  const to = isPlaced || later.position === null ? later : { ...later, branch: '', position: null }
  const { ids, has_more } =
    isPlaced && since !== undefined && since.branch !== branch
      ? await difference(db, owner, to, since)
      : await rangeBetween(db, owner, to, since)
  const doubted = await doubtedBetween(db, owner, to, since)
  return {
    changes: await read(db, owner.account_id, ids),
    doubtful: doubted.length === 0 ? [] : await read(db, owner.account_id, doubted),
    branch,
    basis,
    has_more: has_more || ids.length > CONTENTS_MAX,
  }
}

async function read(db: Database, accountId: number, ids: readonly number[]): Promise<Change[]> {
  const changes = await db.rows<Change>(sql`
    select ${columns} from unnest(${ids.slice(0, CONTENTS_MAX)}::bigint[]) with ordinality held (id, place)
    join changes c on c.account_id = ${accountId} and c.id = held.id order by held.place`)
  return changes.map(shown)
}
