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

export const areStale = async (db: Database, integrationId: number): Promise<boolean> =>
  (await db.one(sql`
    select from integrations where id = ${integrationId} and (streams_at is null or streams_at < now() - interval '1 hour')`)) !==
  undefined

export async function store(db: Database, integrationId: number, streams: readonly Stream[]) {
  await db.execute(
    sql`update integrations set streams = ${JSON.stringify(streams)}::jsonb, streams_at = now() where id = ${integrationId}`,
  )
  await registerStreams(
    db,
    integrationId,
    streams.map(({ path }) => path),
  )
}
