import { type Database, sql } from '../../db/database.ts'
import { withoutReverts } from '../changes/reverts.ts'
import type { Placed } from './positions.ts'

interface Owner {
  account_id: number
  project_id: number
}

export interface Range {
  /** The changes, newest first; pairs that take each other back are left out. */
  ids: number[]
  /** Whether there were more than are read. */
  has_more: boolean
}

/** Read to find pairs that take each other back. */
const READ_MAX = 1_000
/** Of changes that nobody knows a branch of, those of the time are looked for among this many. */
const UNPLACED_LOOK = 5_000

/**
 * The changes that went into a build and not into an earlier one: by their place on the branch of the build. Those of which no branch of
 * its kind is known are taken by time, and so are all where nobody knows the build's.
 */
export async function rangeBetween(db: Database, owner: Owner, to: Placed, since: Placed | undefined): Promise<Range> {
  const { account_id, project_id } = owner
  // Names of git say nothing of a depot, and a depot's nothing of git: only what is on another branch of the same kind is foreign.
  const foreign = sql`exists (select from change_branches p where p.change_id = c.id
    and (p.branch like '//%') = (${to.branch} like '//%'))`
  const read = await db.rows<{ id: number; identifier: string; description: string }>(sql`
    with mine as (${newestOf(to.id)}), last as (${newestOf(since?.id ?? 0)}),
    of_time as (
      select c.id, c.timestamp from changes c
      where c.project_id = ${project_id} and c.orphaned_at is null
        and c.timestamp <= coalesce((select timestamp from mine), ${to.began_at}::timestamptz)
        and c.timestamp >= coalesce((select timestamp from last), ${since?.began_at ?? null}::timestamptz, '-infinity')
        and c.id not in (select id from last)
      order by c.timestamp desc, c.id desc limit ${UNPLACED_LOOK}),
    held as (
      (select p.change_id as id, p.position from change_branches p
        where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${to.branch}
          and p.position > ${since?.position ?? 0} and p.position <= ${to.position ?? 0} and p.orphaned_at is null
        order by p.position desc, p.change_id desc limit ${READ_MAX})
      union all
      (select c.id, null from of_time c where ${to.branch === ''} or not ${foreign} order by c.timestamp desc, c.id desc limit ${READ_MAX}))
    select c.id, c.identifier, c.description from held join changes c on c.id = held.id
    where c.orphaned_at is null
    order by held.position desc nulls last, c.timestamp desc, c.id desc limit ${READ_MAX}`)
  return { ids: withoutReverts(read).map(({ id }) => id), has_more: read.length === READ_MAX }
}

/** The newest change that a build names; it may name a commit and a changelist: it holds both, and all that is older. */
const newestOf = (buildId: number) => sql`
  select c.id, c.timestamp from build_runs b join changes c on c.project_id = b.project_id and c.identifier in (b.commit_hash, b.changelist)
  where b.id = ${buildId} and c.identifier <> '' order by c.timestamp desc limit 1`

/** Whether a change is known that a build was made from. */
export const namesChange = async (db: Database, buildId: number): Promise<boolean> =>
  (await db.one(sql`${newestOf(buildId)}`)) !== undefined
