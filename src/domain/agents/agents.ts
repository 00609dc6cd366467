import type { MuteAgent } from '../../contract/bodies.ts'
import { notFound } from '../../contract/errors.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { median } from '../../measures/median.ts'
import { IS_REGULAR, PASSED_OR_FAILED } from '../branches/build-statuses.ts'
import { BRANCH } from '../branches/positions.ts'
import { asShown } from '../privacy/scrub.ts'
import { type Comparison, compareAgents, isSuspicious } from './compare.ts'

type Agent = ReplyOf<'listAgents'>['agents'][number]

/** The newest builds that are compared. */
const BUILDS_MAX = 10_000

interface Built {
  id: string
  agent: string
  group: string
  failed: boolean
  built_at: string
  queue_seconds: number | null
  sync_seconds: number | null
  disk_free_bytes: number | null
}

const measured = (name: string) =>
  sql`(jsonb_path_query_first(b.measures, ${`$.* ? (@.name == "${name}").value`}::jsonpath))::float8`

/** Finished builds of the last 30 days, oldest first. */
async function builds(db: Database, { account_id, project_id }: ProjectKey): Promise<Built[]> {
  const newest = await db.rows<Built>(sql`
    select b.id::text, b.agent, json_build_array(b.job, ${BRANCH})::text as "group", b.status = 'failed' as failed, iso(b.created_at) as built_at,
      -- Both by our own clock. A build that was first reported at its start has no time in the queue.
      nullif(round(extract(epoch from b.begin_received_at - b.created_at))::float8, 0) as queue_seconds,
      ${measured('sync_seconds')} as sync_seconds, ${measured('disk_free_bytes')} as disk_free_bytes
    from build_runs b
    where b.account_id = ${account_id} and b.project_id = ${project_id} and ${IS_REGULAR} and b.status in ${PASSED_OR_FAILED}
      and b.created_at > goldmaster_now() - interval '30 days'
    order by b.created_at desc, b.id desc limit ${BUILDS_MAX}`)
  return newest.reverse()
}

/** Suspicious agents first, then by name. */
export async function list(db: Database, project: ProjectKey): Promise<ReplyOf<'listAgents'>> {
  const all = await builds(db, project)
  const compared = compareAgents(all)
  const muted = await mutes(db, project)
  const names = [...new Set(all.map(({ agent }) => agent))].filter(Boolean)
  const agents = names.map((name) =>
    agentOf(
      name,
      all.filter(({ agent }) => agent === name),
      compared.get(name),
      muted.get(name) ?? null,
    ),
  )
  // If there are more builds, only the time of those that were compared.
  const since = all.length < BUILDS_MAX ? null : all[0]!.built_at
  return {
    compared_since: since,
    agents: agents.sort((a, b) => Number(b.suspicious) - Number(a.suspicious) || (a.name < b.name ? -1 : 1)),
  }
}

function agentOf(name: string, own: readonly Built[], compared: Comparison | undefined, muted: Agent['muted']): Agent {
  const last = own.at(-1)!
  const disk = own.findLast(({ disk_free_bytes }) => disk_free_bytes !== null)
  return {
    name,
    builds: own.length,
    failures: own.filter(({ failed }) => failed).length,
    last_build_run_id: last.id,
    last_built_at: last.built_at,
    compared: compared ?? null,
    suspicious: compared !== undefined && isSuspicious(compared),
    queue_seconds: median(own.flatMap(({ queue_seconds }) => queue_seconds ?? [])),
    sync_seconds: median(own.flatMap(({ sync_seconds }) => sync_seconds ?? [])),
    disk_free_bytes: disk?.disk_free_bytes ?? null,
    muted,
  }
}

async function mutes(db: Database, { account_id, project_id }: ProjectKey): Promise<Map<string, NonNullable<Agent['muted']>>> {
  const rows = await db.rows<NonNullable<Agent['muted']> & { agent: string }>(sql`
    select agent, iso(muted_until) as muted_until, reason, user_id, iso(muted_at) as muted_at from agent_mutes
    where account_id = ${account_id} and project_id = ${project_id} and (muted_until is null or muted_until > goldmaster_now())`)
  return new Map(rows.map(({ agent, ...muted }) => [agent, muted]))
}

/** Whether the agent of the build `b` is muted. */
export const IS_MUTED = sql`exists (
  select from agent_mutes m where m.account_id = b.account_id and m.project_id = b.project_id and m.agent = b.agent
    and (m.muted_until is null or m.muted_until > goldmaster_now()))`

/** Mutes an agent that has built something, or unmutes it. */
export async function mute(db: Database, by: ProjectKey & { user_id: number }, input: MuteAgent): Promise<ReplyOf<'muteAgent'>> {
  const { account_id, project_id, user_id } = by
  const agent = asShown(input.agent)
  const known = await db.one(sql`
    select from build_runs where account_id = ${account_id} and project_id = ${project_id} and agent = ${agent} and agent <> '' limit 1`)
  if (!known || agent === null) throw notFound('Agent')
  if (input.muted === false)
    await db.execute(sql`
      delete from agent_mutes where account_id = ${account_id} and project_id = ${project_id} and agent = ${agent}`)
  else
    await db.execute(sql`
      insert into agent_mutes (account_id, project_id, agent, reason, muted_until, user_id)
      values (${account_id}, ${project_id}, ${agent}, ${input.reason ?? ''}, ${input.muted_until ?? null}, ${user_id})
      on conflict (account_id, project_id, agent) do update
        set reason = excluded.reason, muted_until = excluded.muted_until, user_id = excluded.user_id, muted_at = excluded.muted_at`)
  return { agent, muted: (await mutes(db, by)).get(agent) ?? null }
}

/** The comparison of an agent that fails suspiciously often; undefined for any other. */
export async function suspicionOf(db: Database, project: ProjectKey, agent: string): Promise<Comparison | undefined> {
  if (agent === '') return undefined
  const compared = compareAgents(await builds(db, project)).get(agent)
  return compared && isSuspicious(compared) ? compared : undefined
}
