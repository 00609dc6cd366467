import { notFound } from '../../contract/errors.ts'
import type { BreakageDetail } from '../../contract/health-shapes.ts'
import type { QueryOf } from '../../contract/routes.ts'
import { type Database, empty, join, type Sql, sql } from '../../db/database.ts'
import { bounded, inlineInstant, inlineInteger, type Key, type Listing, when } from '../../db/page.ts'
import type { ProjectKey, ProjectSql } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { AGENT_BUILDS, type AgentBuilds, costBy, IS_FINISHED, pricesOf } from '../builds/cost.ts'
import { UNSETTLED } from '../builds/follow-up-jobs.ts'
import { NAMED_SUSPECT, suspectsWithChanges } from '../builds/named-suspect.ts'
import { bisectionOf } from './bisection/show-bisection.ts'
import { READ_MAX } from './hits.ts'

type Query = Omit<QueryOf<'listBreakages'>, 'cursor'> & {
  cursor?: Key
  /** With the suspect that lists name. */
  suspects?: boolean
}

/** As many builds as one page of any list. */
const BUILDS_SHOWN = 50
const HISTORY_SHOWN = 200
const OCCURRENCES_SHOWN = 50

const change = (id: Sql) => sql`(
  select json_build_object('id', c.id, 'identifier', c.identifier, 'display_identifier', c.display_identifier, 'timestamp', iso(c.timestamp))
  from changes c where c.account_id = k.account_id and c.id = ${id})`

/** What an entry `x` of the history is about, in one word. */
const DETAIL = sql`coalesce(x.detail ->> 'job', 'user:' || (x.detail ->> 'owner_user_id') || coalesce(' because ' || (x.detail ->> 'because'), ''), x.detail ->> 'muted_until',
  'same as #' || (x.detail ->> 'same_as_breakage_id'), x.detail ->> 'reason', '#' || (x.detail ->> 'task_id'), x.detail ->> 'note', '')`

const columns = (site: string) => sql`
  k.id::text, k.project_id::text, k.state, k.flaky, k.branch, k.category, k.confidence, k.cause, k.suggested_fix, k.evidence, ${suspectsWithChanges(sql`k.suspects`, sql`k.account_id`)} as suspects,
  k.jobs, k.platforms, k.build_count, k.first_build_run_id::text as first_build_id, k.last_build_run_id::text as last_build_id,
  ${change(sql`k.last_good_change_id`)} as last_good_change, ${change(sql`k.first_bad_change_id`)} as first_bad_change,
  k.owner_user_id, iso(k.claimed_at) as claimed_at, iso(k.muted_until) as muted_until,
  ${change(sql`k.fixed_by_change_id`)} as fixed_by_change, ${change(sql`k.fixed_after_change_id`)} as fixed_after_change, ${change(sql`k.fixed_up_to_change_id`)} as fixed_up_to_change,
  iso(k.fixed_at) as fixed_at, k.reopened_count, k.withdrawn_reason, k.same_as_breakage_id::text,
  (select t.id from tasks t where t.account_id = k.account_id and t.id = k.task_id and t.deleted_at is null) as task_id,
  iso(k.opened_at) as opened_at, iso(k.last_seen_at) as last_seen_at, iso(k.updated_at) as updated_at,
  json_build_object('web', ${site}::text || '/projects/' || k.project_id || '/breakages/' || k.id) as urls`

/** Newest first. An owner, a branch, a category or the open states select the index; the other filters apply afterwards. */
export function list(project: ProjectSql, q: Query, site: string): Listing {
  const isUnsettled = q.state !== undefined && !q.state.some((state) => state === 'fixed' || state === 'withdrawn')
  const after = when(q.cursor, ({ at, id }) => sql`and (k.opened_at, k.id) < (${at}::timestamptz, ${id}::bigint)`)
  const filters = {
    owner: when(q.owner, (owner) => sql`and k.owner_user_id = ${owner}`),
    branch: when(q.branch, (branch) => sql`and k.branch = ${branchKey(branch)}`),
    category: when(q.category, (category) => sql`and k.category = ${category}`),
    unsettled: isUnsettled ? sql`and ${UNSETTLED}` : empty,
  }
  const lead = Object.values(filters).find((filter) => filter !== empty) ?? empty
  const walk = bounded({
    columns: sql`k.*`,
    from: sql`breakages k where k.project_id = ${project.project_id} ${lead} ${after}`,
    at: sql`k.opened_at`,
    id: sql`k.id`,
  })
  const others = sql`${join(Object.values(filters), ' ')} ${when(q.state, (states) => sql`and k.state = any (${states}::text[])`)}`
  const order = sql`order by k.opened_at desc, k.id desc limit ${inlineInteger(q.limit + 1)}`
  const seen = (at: string) => sql`
    select k.* from breakages k where k.project_id = ${project.project_id} ${after} ${others} and k.last_seen_at >= ${inlineInstant(at)} ${order}`
  return {
    limit: q.limit,
    rows: sql`
      select (select row_to_json(item) from (select ${columns(site)} ${q.suspects ? sql`, ${NAMED_SUSPECT} as suspect` : empty}) item) as item, k.opened_at as key_at, k.id as key_id
      from (${q.since === undefined ? sql`select k.* from (${walk.rows}) k where true ${others} ${order}` : seen(q.since)}) k`,
    unprepared: q.since !== undefined,
    examined: q.since === undefined ? walk.examined : undefined,
  }
}

export async function find(db: Database, project: ProjectKey, id: number | undefined, site: string): Promise<BreakageDetail> {
  const found = await db.one<Omit<BreakageDetail, 'bisection' | 'can_bisect' | 'cost'>>(sql`
    select ${columns(site)},
      (select greatest(0, count(*) - ${READ_MAX})::integer from breakage_builds m where m.account_id = k.account_id and m.breakage_id = k.id) as builds_not_checked,
      coalesce((select json_agg(x order by x.id::bigint desc) from (
        select b.id::text, b.status, b.ci_job_name, nullif(b.platform, '') as platform, b.build_number, b.branch, b.commit_hash, b.changelist, m.downstream,
          iso(b.created_at) as created_at
        from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
        where m.account_id = k.account_id and m.breakage_id = k.id order by m.build_run_id desc limit ${BUILDS_SHOWN}) x), '[]') as builds,
      coalesce((select json_agg(x order by x.number desc) from (
        select o.number, iso(o.opened_at) as opened_at, o.first_build_run_id::text as first_build_id, o.build_count,
          ${change(sql`o.last_good_change_id`)} as last_good_change, ${change(sql`o.first_bad_change_id`)} as first_bad_change,
          ${suspectsWithChanges(sql`o.suspects`, sql`o.account_id`)} as suspects,
          o.flickering, o.owner_user_id, iso(o.claimed_at) as claimed_at, iso(o.fixed_at) as fixed_at,
          ${change(sql`o.fixed_by_change_id`)} as fixed_by_change, ${change(sql`o.fixed_after_change_id`)} as fixed_after_change,
          ${change(sql`o.fixed_up_to_change_id`)} as fixed_up_to_change
        from breakage_occurrences o where o.account_id = k.account_id and o.breakage_id = k.id
        order by o.number desc limit ${OCCURRENCES_SHOWN}) x), '[]') as occurrences,
      coalesce((select json_agg(json_build_object('kind', x.kind, 'user_id', x.user_id, 'detail', ${DETAIL}, 'at', iso(x.at)) order by x.id)
        from (select * from breakage_history h where h.account_id = k.account_id and h.breakage_id = k.id
          order by h.id desc limit ${HISTORY_SHOWN}) x), '[]') as history,
      coalesce((select json_agg(json_build_object('id', c.id, 'display_identifier', c.display_identifier, 'author', c.author, 'description', c.description))
        from changes c
        where c.account_id = k.account_id
          and c.id in (select (s ->> 'change_id')::bigint from jsonb_array_elements(k.suspects) s)), '[]') as suspect_changes
    from breakages k where k.account_id = ${project.account_id} and k.project_id = ${project.project_id} and k.id = ${id ?? 0}`)
  if (!found) throw notFound('Breakage')
  return { ...found, cost: await costOf(db, project, id!), ...(await bisectionOf(db, project, id!)) }
}

/** The builds of the newest occurrence, and how long it lasted or lasts. */
async function costOf(db: Database, project: ProjectKey, id: number): Promise<BreakageDetail['cost']> {
  const rows = await db.rows<AgentBuilds>(sql`
    select ${AGENT_BUILDS} from breakages k
    join breakage_builds m on m.account_id = k.account_id and m.breakage_id = k.id and m.occurrence = k.occurrence
    join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
    where k.account_id = ${project.account_id} and k.id = ${id} and ${IS_FINISHED} group by b.agent`)
  const red = (await db.one<Pick<BreakageDetail['cost'], 'red_seconds' | 'red_since'>>(sql`
    select coalesce(greatest(extract(epoch from k.fixed_at - k.opened_at), 0), 0)::integer as red_seconds,
      case when k.fixed_at is null then iso(k.opened_at) end as red_since
    from breakages k where k.account_id = ${project.account_id} and k.id = ${id}`))!
  const prices = await pricesOf(db, project)
  return { ...costBy(prices)(rows), currency: prices?.currency ?? null, ...red }
}
