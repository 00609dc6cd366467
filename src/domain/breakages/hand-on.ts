import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { note } from './history.ts'
import { followBreakage } from './occurrences.ts'

interface Edited {
  state: 'claimed' | 'muted'
  owner_user_id: number | null
  muted_until: string | null
  /** Who said so. */
  user_id: number | null
}

/**
 * What people said about a breakage that turned out to be the same as another: its comments and its task go along, and so do its owner and
 * its mute, unless the other one has its own. An owner whom the service chose is chosen anew.
 */
export async function handOn(db: Database, { account_id, id }: RecordKey, to: number) {
  await db.execute(sql`
    update comments set breakage_id = ${to}, updated_at = now() where account_id = ${account_id} and breakage_id = ${id}`)
  await db.execute(sql`
    update breakages k set task_id = d.task_id, updated_at = now() from breakages d
    where k.account_id = ${account_id} and k.id = ${to} and k.task_id is null
      and d.account_id = ${account_id} and d.id = ${id} and d.task_id is not null`)
  const edited = await db.one<Edited>(sql`
    with said as (
      select d.state, d.owner_user_id, d.claimed_at, d.muted_until, (
        select h.user_id from breakage_history h where h.account_id = d.account_id and h.breakage_id = d.id and h.kind = d.state
        order by h.id desc limit 1) as user_id
      from breakages d
      where d.account_id = ${account_id} and d.id = ${id} and d.assigned_because is null
        and (d.state = 'claimed' or d.state = 'muted' and (d.muted_until is null or d.muted_until > goldmaster_now())))
    update breakages k set state = said.state, owner_user_id = said.owner_user_id, claimed_at = said.claimed_at,
      muted_until = said.muted_until, assigned_because = null, updated_at = now()
    from said
    where k.account_id = ${account_id} and k.id = ${to}
      and (k.state = 'open' or k.state = 'claimed' and k.assigned_because is not null)
    returning k.state, k.owner_user_id, k.muted_until, said.user_id`)
  if (!edited) return
  const { state, owner_user_id, muted_until, user_id } = edited
  await note(db, { account_id, id: to }, state, user_id, {
    ...(state === 'claimed' && owner_user_id !== null && owner_user_id !== user_id && { owner_user_id }),
    ...(muted_until !== null && { muted_until }),
  })
  await followBreakage(db, { account_id, id: to })
}
