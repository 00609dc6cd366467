import { type Database, sql } from '../../db/database.ts'
import { type Blamed, NOBODY, type OnBranch, type Suspect } from './evidence.ts'
import type { Judging, Occurrence } from './judge.ts'

interface Stored extends Blamed {
  number: number
  owner_user_id: number | null
  fixed_by_change_id: number | null
}

interface Findings {
  /** Undefined without a finding: an earlier occurrence then keeps its suspects. */
  blame(occurrence: Occurrence, number: number): Promise<Blamed | undefined> | Blamed
  isFlickering: boolean
  fixedBy(occurrence: Occurrence, suspects: readonly Suspect[], owner: number | null): Promise<number | null>
}

type Owned = Pick<OnBranch, 'id' | 'account_id'>

/** When a person resolved it, and the position of the branch at that time. */
export const resolutions = async (db: Database, { id, account_id }: Owned): Promise<Judging['said']> =>
  (
    await db.rows<{ resolved_at: string; resolved_position: number | null }>(sql`
      select resolved_at, resolved_position from breakage_occurrences
      where account_id = ${account_id} and breakage_id = ${id} and resolved_at is not null`)
  ).map(({ resolved_at, resolved_position }) => ({ received: Date.parse(resolved_at), position: resolved_position }))

/** Deletes the occurrences above a number, which have no builds left. */
export const keepFirst = (db: Database, { id, account_id }: Owned, count: number) =>
  db.execute(sql`
    delete from breakage_occurrences where account_id = ${account_id} and breakage_id = ${id} and number > ${count}`)

/** How many of the newest occurrences are updated: a breakage may reopen for months. */
const RESTATED = 20

/** Updates the rows of a breakage's occurrences. */
export async function write(
  db: Database,
  breakage: OnBranch & { occurrence: number; owner_user_id: number | null; fixed_by_change_id: number | null },
  found: readonly Occurrence[],
  { blame, isFlickering, fixedBy }: Findings,
) {
  const { id, account_id, project_id } = breakage
  await keepFirst(db, breakage, found.length)
  const stored = new Map(
    (
      await db.rows<Stored>(sql`
        select number, suspects, attributed_user_id, owner_user_id, fixed_by_change_id from breakage_occurrences
        where account_id = ${account_id} and breakage_id = ${id}`)
    ).map((row) => [row.number, row]),
  )
  await countBuilds(db, breakage, found)
  const restated = [...found.entries()].slice(-RESTATED)
  const changes = await changesAt(
    db,
    breakage,
    restated.flatMap(([, { lastGood, firstBad, lastBad, firstGood }]) => [lastGood, firstBad, lastBad, firstGood]),
  )
  const changeAt = (position: number | null) => (position === null ? null : (changes.get(position) ?? null))
  for (const [place, occurrence] of restated) {
    const number = place + 1
    const earlier = number === found.length ? undefined : stored.get(number)
    const { suspects, attributed_user_id } = (await blame(occurrence, number)) ?? earlier ?? NOBODY
    const said = occurrence.mended?.find((pass) => pass.said)
    const last = occurrence.mended?.reduce((a, b) => (a.finished_at > b.finished_at ? a : b), occurrence.mended[0]!)
    const opened = Math.min(...occurrence.failures.map(({ began_at }) => began_at))
    const fixed = occurrence.mended && (said ?? last)
    // A person who resolves it may also name the fixing change.
    const mender = said
      ? (earlier ?? { fixed_by_change_id: breakage.fixed_by_change_id }).fixed_by_change_id
      : fixed
        ? await fixedBy(occurrence, suspects, (earlier ?? breakage).owner_user_id)
        : null
    const isRange = occurrence.firstGood !== null && !said && occurrence.firstGood > (occurrence.lastBad ?? 0)
    const row = {
      opened_at: new Date(opened).toISOString(),
      first_build_run_id: occurrence.failures[0]!.build_run_id,
      build_count: occurrence.failures.length,
      suspects: JSON.stringify(suspects),
      fixed_at: fixed ? new Date(Math.max(fixed.finished_at, opened)).toISOString() : null,
    }
    await db.execute(sql`
      insert into breakage_occurrences as o (account_id, project_id, breakage_id, number, opened_at, first_build_run_id, build_count,
        last_good_change_id, first_bad_change_id, suspects, attributed_user_id, flickering, fixed_at, fixed_by_change_id, fixed_after_change_id,
        fixed_up_to_change_id, resolved_at, resolved_position)
      values (${account_id}, ${project_id}, ${id}, ${number}, ${row.opened_at}, ${row.first_build_run_id}, ${row.build_count},
        ${changeAt(occurrence.lastGood)}, ${changeAt(occurrence.firstBad)}, ${row.suspects}::jsonb, ${attributed_user_id}, ${isFlickering},
        ${occurrence.mended ? sql`coalesce(${row.fixed_at}::timestamptz, goldmaster_now())` : sql`null`}, ${mender},
        ${changeAt(isRange ? occurrence.lastBad : null)}, ${changeAt(isRange ? occurrence.firstGood : null)},
        ${said ? new Date(said.received).toISOString() : null}, ${said?.position ?? null})
      on conflict (account_id, breakage_id, number) do update set opened_at = excluded.opened_at,
        first_build_run_id = excluded.first_build_run_id, build_count = excluded.build_count,
        last_good_change_id = excluded.last_good_change_id, first_bad_change_id = excluded.first_bad_change_id,
        suspects = excluded.suspects, attributed_user_id = excluded.attributed_user_id, flickering = excluded.flickering,
        fixed_at = case when ${row.fixed_at === null} and excluded.fixed_at is not null then coalesce(o.fixed_at, excluded.fixed_at)
          else excluded.fixed_at end,
        fixed_by_change_id = excluded.fixed_by_change_id, fixed_after_change_id = excluded.fixed_after_change_id,
        fixed_up_to_change_id = excluded.fixed_up_to_change_id, resolved_at = excluded.resolved_at,
        resolved_position = excluded.resolved_position`)
  }
}

/** The changes at positions of the branch. */
async function changesAt(db: Database, { account_id, project_id, branch }: OnBranch, positions: readonly (number | null)[]) {
  const known = [...new Set(positions.filter((position) => position !== null))]
  if (known.length === 0) return new Map<number, number>()
  const rows = await db.rows<{ position: number; change_id: number }>(sql`
    select position, change_id from change_branches where account_id = ${account_id} and project_id = ${project_id}
      and branch = ${branch} and position = any (${known}::bigint[])`)
  return new Map(rows.map(({ position, change_id }) => [position, change_id]))
}

/** Stores the occurrence of every build. */
async function countBuilds(db: Database, { id, account_id }: Owned, found: readonly Occurrence[]) {
  const moved = found.flatMap(({ failures }, place) =>
    failures.filter(({ occurrence }) => occurrence !== place + 1).map(({ build_run_id }) => [build_run_id, place + 1] as const),
  )
  if (moved.length === 0) return
  await db.execute(sql`
    update breakage_builds m set occurrence = moved.number
    from unnest(${moved.map(([build]) => build)}::bigint[], ${moved.map(([, number]) => number)}::integer[]) moved (id, number)
    where m.account_id = ${account_id} and m.breakage_id = ${id} and m.build_run_id = moved.id`)
}

/** After a person edited the newest occurrence. */
export const followBreakage = (db: Database, { id, account_id }: Owned) =>
  db.execute(sql`
    update breakage_occurrences o set owner_user_id = k.owner_user_id, claimed_at = k.claimed_at, fixed_at = k.fixed_at,
      fixed_by_change_id = k.fixed_by_change_id, resolved_at = k.resolved_at, resolved_position = k.resolved_position
    from breakages k where k.account_id = ${account_id} and k.id = ${id} and o.account_id = k.account_id and o.breakage_id = k.id
      and o.number = k.occurrence`)
