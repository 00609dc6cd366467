import type { BuildCost } from '../../contract/routes/build-cost.ts'
import type { QueryOf, ReplyOf } from '../../contract/routes.ts'
import { type Database, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey } from '../branches/branch-names.ts'
import { BRANCH } from '../branches/positions.ts'
import { AGENT_BUILDS, type AgentBuilds, costBy, IS_FINISHED, pricesOf } from '../builds/cost.ts'
import { asShown } from '../privacy/scrub.ts'

type Costs = ReplyOf<'showCosts'>
type Cause = Costs['by_cause'][number]

/** The newest builds that are counted. */
const BUILDS_MAX = 10_000
const LISTED_MAX = 50

interface Group extends AgentBuilds {
  job: string
  branch: string
  breakage_id: string | null
  since: string
}

/** What the finished builds of the last days cost, by job, branch and cause. */
export async function show(db: Database, project: ProjectKey, query: QueryOf<'showCosts'>): Promise<Costs> {
  const { account_id, project_id } = project
  // By the hour: the same builds have the same answer.
  const from = sql`date_trunc('hour', goldmaster_now()) - make_interval(days => ${query.days ?? 30})`
  const groups = await db.rows<Group>(sql`
    with newest as (
      select b.account_id, b.id, b.ci_job_name, ${BRANCH} as branch, b.agent, b.duration_seconds, b.created_at from build_runs b
      where b.account_id = ${account_id} and b.project_id = ${project_id} and b.created_at > ${from} and ${IS_FINISHED}
        ${when(query.job, (job) => sql`and b.ci_job_name = ${asShown(job)}`)}
        ${when(query.branch, (branch) => sql`and ${BRANCH} = ${asShown(branchKey(branch))}`)}
      order by b.created_at desc, b.id desc limit ${BUILDS_MAX})
    select b.ci_job_name as job, b.branch, m.breakage_id::text, ${AGENT_BUILDS}, iso(min(b.created_at)) as since
    from newest b left join breakage_builds m on m.account_id = b.account_id and m.build_run_id = b.id
    group by b.ci_job_name, b.branch, m.breakage_id, b.agent`)
  const total = groups.reduce((sum, { builds }) => sum + builds, 0)
  const { start } = (await db.one<{ start: string }>(sql`select iso(${from}) as start`))!
  // If there are more, only the time of those that were counted.
  const since = total < BUILDS_MAX ? start : groups.map((group) => group.since).reduce((a, b) => (a < b ? a : b))
  const prices = await pricesOf(db, project)
  const costOf = costBy(prices)
  const by = <K extends 'job' | 'branch' | 'breakage_id'>(key: K) => {
    const names = [...new Set(groups.map((group) => group[key]))]
    return names
      .map((name) => [name, costOf(groups.filter((group) => group[key] === name))] as const)
      .sort(([, a], [, b]) => (b.amount ?? 0) - (a.amount ?? 0) || b.minutes - a.minutes || b.builds - a.builds)
  }
  const broken = by('breakage_id').flatMap(([id, cost]) => (id === null ? [] : [{ id, cost }]))
  return {
    since,
    currency: prices?.currency ?? null,
    total: costOf(groups),
    failed: costOf(groups.filter(({ breakage_id }) => breakage_id !== null)),
    by_job: by('job')
      .slice(0, LISTED_MAX)
      .map(([job, cost]) => ({ job, ...cost })),
    by_branch: by('branch')
      .slice(0, LISTED_MAX)
      .map(([branch, cost]) => ({ branch, ...cost })),
    by_cause: await causesOf(db, project, since, broken.slice(0, LISTED_MAX)),
  }
}

async function causesOf(
  db: Database,
  { account_id }: ProjectKey,
  since: string,
  broken: readonly { id: string; cost: BuildCost }[],
): Promise<Cause[]> {
  const rows = await db.rows<Omit<Cause, keyof BuildCost>>(sql`
    select k.id::text as breakage_id, k.cause, k.category, k.state, k.branch, coalesce(o.red_seconds, 0)::integer as red_seconds, iso(o.red_since) as red_since
    from breakages k
    cross join lateral (
      select sum(greatest(extract(epoch from o.fixed_at - greatest(o.opened_at, ${since}::timestamptz)), 0)) as red_seconds,
        max(greatest(o.opened_at, ${since}::timestamptz)) filter (where o.fixed_at is null) as red_since
      from breakage_occurrences o where o.account_id = k.account_id and o.breakage_id = k.id) o
    where k.account_id = ${account_id} and k.id = any (${broken.map(({ id }) => id)}::bigint[])`)
  const found = new Map(rows.map((row) => [row.breakage_id, row]))
  return broken.flatMap(({ id, cost }) => {
    const row = found.get(id)
    return row ? [{ ...row, ...cost }] : []
  })
}
