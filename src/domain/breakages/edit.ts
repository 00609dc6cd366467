import type { BreakageEdit } from '../../contract/bodies.ts'
import { invalidParameter, notFound } from '../../contract/errors.ts'
import type { BreakageDetail } from '../../contract/health-shapes.ts'
import type { BreakageEditState, BreakageState } from '../../contract/sets.ts'
import { type Database, raw, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { lockBreakages } from '../branches/project-lock.ts'
import { scheduleJobCheck } from '../builds/follow-up-jobs.ts'
import { find } from './breakages.ts'
import { note } from './history.ts'
import { followBreakage } from './occurrences.ts'

/** The person who edits; unknown if a tool does it for somebody who is not a member. */
interface Editor extends ProjectKey {
  user_id: number | null
}

interface StoredBreakage extends ProjectKey {
  id: number
  state: BreakageState
  owner_user_id: number | null
  branch: string | null
  jobs: string[]
}

/** Applies a person's edit of a breakage: owner, mute, resolution. */
export function edit(
  db: Database,
  by: Editor,
  id: number | undefined,
  input: BreakageEdit,
  site: string,
): Promise<BreakageDetail> {
  return db.transaction(async (db) => {
    await lockBreakages(db, by.project_id)
    // Read by the triggers that write events.
    // Not by `set_config`, which Citus does not tell its servers.
    await db.execute(sql`set local goldmaster.said_by = ${raw(`'${by.user_id ?? ''}'`)}`, { unprepared: true })
    const known = await db.one<StoredBreakage>(sql`
      select id, account_id, project_id, state, owner_user_id, branch, jobs from breakages
      where account_id = ${by.account_id} and project_id = ${by.project_id} and id = ${id ?? 0}`)
    if (!known) throw notFound('Breakage')
    const owner = ownerOf(known, by, input)
    // "I didn't write this" is what people note at a wrong assignment: it must not make the assignment theirs to take back.
    if (!isOnlyNote(input))
      await db.execute(
        sql`update breakages set assigned_because = null where account_id = ${known.account_id} and id = ${known.id}`,
      )
    if (input.owner_user_id != null) await requireSight(db, by, input.owner_user_id)
    if (known.state === 'withdrawn' && !isOnlyNote(input))
      throw invalidParameter('state', 'cannot change: the breakage was withdrawn')
    const state = input.state ?? stateOf(known, input)
    const isSaid = state !== known.state || input.muted_until !== undefined
    if (!isSaid && owner !== known.owner_user_id && (state === 'muted' || state === 'fixed'))
      await handOver(db, known, by.user_id, owner)
    else if (state !== 'withdrawn' && (isSaid || owner !== known.owner_user_id))
      await SAY[state](db, known, by.user_id, owner, input.muted_until ?? null)
    await followBreakage(db, known)
    if (input.note !== undefined) await note(db, known, 'note', by.user_id, { note: input.note })
    return find(db, by, known.id, site)
  })
}

/** Claiming without naming an owner makes the caller the owner. */
const ownerOf = ({ owner_user_id }: StoredBreakage, by: Editor, input: BreakageEdit): number | null => {
  if (input.owner_user_id !== undefined) return input.owner_user_id
  if (input.state === 'claimed') return owner_user_id ?? by.user_id
  return input.state === 'open' ? null : owner_user_id
}

const isOnlyNote = ({ note, ...others }: BreakageEdit) => Object.keys(others).length === 0

/** Assigning it claims it, unassigning opens it. */
const stateOf = ({ state }: StoredBreakage, { owner_user_id }: BreakageEdit): BreakageState => {
  if (owner_user_id === undefined || state === 'fixed' || state === 'muted') return state
  return owner_user_id === null ? 'open' : 'claimed'
}

async function requireSight(db: Database, project: ProjectKey, userId: number) {
  const found = await db.one(
    sql`select from project_access where account_id = ${project.account_id} and project_id = ${project.project_id} and user_id = ${userId}`,
  )
  if (!found) throw invalidParameter('owner_user_id', 'must be a member of the account who sees the project')
}

/** The new owner, if that is not the caller. */
const detailOf = (owner: number | null, userId: number | null) =>
  owner === null || owner === userId ? {} : { owner_user_id: owner }

/** Changes the owner only: it stays muted as long as before, or fixed. */
async function handOver(db: Database, known: StoredBreakage, userId: number | null, owner: number | null) {
  await db.execute(sql`
    update breakages set owner_user_id = ${owner}, updated_at = now()
    where account_id = ${known.account_id} and id = ${known.id}`)
  await note(db, known, owner === null ? 'released' : 'claimed', userId, detailOf(owner, userId))
}

const secondsUntil = async (db: Database, until: string | null) =>
  (await db.one<{ seconds: number | null }>(sql`
    select extract(epoch from ${until}::timestamptz - goldmaster_now())::float8 as seconds`))!.seconds

type Say = (
  db: Database,
  known: StoredBreakage,
  userId: number | null,
  owner: number | null,
  until: string | null,
) => Promise<unknown>

const SAY: Record<BreakageEditState, Say> = {
  async open(db, known, userId) {
    const again = known.state === 'fixed'
    await db.execute(sql`
      update breakages set state = 'open', owner_user_id = null, claimed_at = null, muted_until = null, fixed_at = null,
        fixed_by_change_id = null, fixed_in = null, fixed_after_change_id = null, fixed_up_to_change_id = null, resolved_at = null, resolved_position = null,
        reopened_count = reopened_count + ${again ? 1 : 0}, reopenings = reopenings + ${again ? 1 : 0},
        unfixed_at = case when ${again} then goldmaster_now() else unfixed_at end, updated_at = now()
      where account_id = ${known.account_id} and id = ${known.id}`)
    await note(db, known, again ? 'reopened' : known.state === 'muted' ? 'unmuted' : 'released', userId)
  },
  async claimed(db, known, userId, owner) {
    if (known.state === 'fixed') throw invalidParameter('state', 'cannot be claimed once it is fixed; open it first')
    await db.execute(sql`
      update breakages set state = 'claimed', owner_user_id = ${owner}, claimed_at = goldmaster_now(), muted_until = null, updated_at = now()
      where account_id = ${known.account_id} and id = ${known.id}`)
    await note(db, known, 'claimed', userId, detailOf(owner, userId))
  },
  async muted(db, known, userId, owner, until) {
    if (known.state === 'fixed') throw invalidParameter('state', 'cannot be muted once it is fixed')
    const seconds = await secondsUntil(db, until)
    if (seconds !== null && seconds <= 0) throw invalidParameter('muted_until', 'must be in the future')
    await db.execute(sql`
      update breakages set state = 'muted', muted_until = ${until}, owner_user_id = ${owner}, updated_at = now()
      where account_id = ${known.account_id} and id = ${known.id}`)
    await note(db, known, 'muted', userId, until === null ? {} : { muted_until: until })
    if (seconds !== null) await scheduleJobCheck(db, { ...known, job: known.jobs[0] ?? '' }, seconds)
  },
  async fixed(db, known, userId, owner) {
    await db.execute(sql`
      update breakages set state = 'fixed', fixed_at = goldmaster_now(), unfixed_at = null, resolved_at = goldmaster_now(), owner_user_id = ${owner}, muted_until = null,
        resolved_position = (select max(p.position) from change_branches p where p.account_id = ${known.account_id}
          and p.project_id = ${known.project_id} and p.branch = ${known.branch}), updated_at = now()
      where account_id = ${known.account_id} and id = ${known.id}`)
    await note(db, known, 'resolved', userId)
  },
}
