import { invalidParameter } from '../../contract/errors.ts'
import { PLACES_MAX, PLACES_WAITING_MAX } from '../../contract/limits.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'

/** Jobs, projects, streams and the like at a tool's server that the stored credential of an integration reaches. */

export interface Place {
  place: string
  confirmed: boolean
  /** A signed report named it. */
  signed: boolean
  created_at: string
}

export interface PlaceList {
  every_place: boolean
  listed: Place[]
}

/** Confirmed ones first, then those that wait, newest first. */
export async function find(db: Database, { account_id, id }: RecordKey): Promise<PlaceList> {
  const integration = await db.one<{ every_place: boolean }>(
    sql`select every_place from integrations where account_id = ${account_id} and id = ${id}`,
  )
  const listed = await db.rows<Place>(sql`
    select place, confirmed, vouched as signed, created_at from integration_places where account_id = ${account_id} and integration_id = ${id}
    order by confirmed desc, created_at desc, place`)
  return { every_place: integration?.every_place === true, listed }
}

export interface PlacesEdit {
  every_place?: boolean | undefined
  confirm?: readonly string[] | undefined
  /** No longer confirmed, or no longer waiting. */
  remove?: readonly string[] | undefined
}

/** What a lead decides. In a transaction. */
export async function edit(db: Database, { account_id, id }: RecordKey, { every_place, confirm = [], remove = [] }: PlacesEdit) {
  await db.execute(sql`
    update integrations set every_place = coalesce(${every_place ?? null}::boolean, every_place), updated_at = now()
    where account_id = ${account_id} and id = ${id}`)
  const own = sql`account_id = ${account_id} and integration_id = ${id}`
  await db.execute(sql`delete from integration_places where ${own} and place = any (${[...remove]}::text[])`)
  await db.execute(sql`
    insert into integration_places (account_id, integration_id, place, confirmed)
    select ${account_id}, ${id}, place, true from unnest(${[...new Set(confirm)]}::text[]) place
    on conflict (account_id, integration_id, place) do update set confirmed = true`)
  const { confirmed } = (await db.one<{ confirmed: number }>(
    sql`select count(*)::integer as confirmed from integration_places where ${own} and confirmed`,
  ))!
  if (confirmed > PLACES_MAX) throw invalidParameter('confirm', `must leave at most ${PLACES_MAX} confirmed`)
}

/**
 * What a report names waits for a lead. Whoever has the webhook token can name anything, so that only so many of unsigned reports are kept; a
 * signed one is kept always. A place that is stored already costs no lock.
 */
export const note = (db: Database, { account_id, id }: RecordKey, places: readonly string[], signed: boolean) =>
  db.execute(sql`
    insert into integration_places as p (account_id, integration_id, place, vouched)
    select ${account_id}, ${id}, n.place, ${signed} from unnest(${[...places]}::text[]) n (place)
    where not exists (select from integration_places k where k.account_id = ${account_id} and k.integration_id = ${id} and k.place = n.place
        and (k.vouched or not ${signed}))
      and (${signed} or (select count(*) from integration_places k where k.account_id = ${account_id} and k.integration_id = ${id}
        and not k.confirmed and not k.vouched) < ${PLACES_WAITING_MAX})
    order by n.place
    on conflict (account_id, integration_id, place) do update set vouched = p.vouched or excluded.vouched`)
