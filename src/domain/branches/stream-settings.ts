import { type Database, sql } from '../../db/database.ts'
import { registerStreams } from './lines.ts'
import type { Stream, StreamSettings } from './streams.ts'

/** The stream settings of an integration: the operator's own come first. */
export async function find(db: Database, integrationId: number): Promise<StreamSettings> {
  const row = await db.one<{ branches: unknown; streams: Stream[] | null }>(
    sql`select config -> 'branches' as branches, streams from integrations where id = ${integrationId}`,
  )
  return { prefixes: prefixesOf(row?.branches), streams: row?.streams ?? [] }
}

/** `//game/main, //game/rel-*`, or the same as a list. */
const prefixesOf = (branches: unknown): string[] =>
  (Array.isArray(branches) ? branches : typeof branches === 'string' ? branches.split(/[,\n]/) : [])
    .filter((name) => typeof name === 'string')
    .map((name) => name.trim())
    .filter((name) => name.startsWith('//'))

/** Whether the server has not been asked for this long. */
export const areStale = async (db: Database, integrationId: number, seconds: number): Promise<boolean> =>
  (await db.one(sql`
    select from integrations where id = ${integrationId}
      and (streams_at is null or streams_at <= now() - make_interval(secs => ${seconds}))`)) !== undefined

/** In how many seconds the server may be asked again. */
export const waitFor = async (db: Database, integrationId: number, seconds: number): Promise<number> =>
  (await db.one<{ wait: number }>(sql`
    select greatest(0, ceil(coalesce(${seconds} - extract(epoch from now() - streams_at), 0)))::integer as wait
    from integrations where id = ${integrationId}`))!.wait

/** The server was asked, whatever it answered. */
export const asked = (db: Database, integrationId: number) =>
  db.execute(sql`update integrations set streams_at = now() where id = ${integrationId}`)

/** Returns whether the server listed other streams before. */
export async function store(db: Database, integrationId: number, streams: readonly Stream[]): Promise<boolean> {
  const changed = await db.execute(sql`
    update integrations set streams = ${JSON.stringify(streams)}::jsonb
    where id = ${integrationId} and streams is distinct from ${JSON.stringify(streams)}::jsonb`)
  await registerStreams(
    db,
    integrationId,
    streams.map(({ path }) => path),
  )
  return changed > 0
}
