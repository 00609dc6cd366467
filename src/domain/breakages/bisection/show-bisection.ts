import type { Bisection, BreakageDetail } from '../../../contract/health-shapes.ts'
import { type Database, type Sql, sql } from '../../../db/database.ts'
import type { ProjectKey } from '../../../db/project-key.ts'
import { posteriorOf } from '../../../diagnosis/bisection/bisection.ts'
import { searchOf } from '../search.ts'
import { refusalOf, subjectOf } from './bisection-subject.ts'

const change = (id: Sql) => sql`(
  select json_build_object('id', c.id, 'identifier', c.identifier, 'display_identifier', c.display_identifier, 'timestamp', iso(c.timestamp))
  from changes c where c.account_id = s.account_id and c.id = ${id})`

type Row = Omit<Bisection, 'remaining_count' | 'duration_seconds' | 'waits_until'> & { number: number; project_id: number }

/** The newest bisection of a breakage, and whether another can be started. */
export async function bisectionOf(
  db: Database,
  project: ProjectKey,
  breakageId: number,
): Promise<Pick<BreakageDetail, 'bisection' | 'can_bisect'>> {
  const subject = await subjectOf(db, project, breakageId)
  const can_bisect = subject !== undefined && !subject.is_running && refusalOf(subject) === null
  const row = await db.one<Row>(sql`
    select s.id::text, s.id as number, s.project_id, s.status, s.job, jsonb_array_length(s.suspects) as change_count,
      ${change(sql`s.found_change_id`)} as found_change, s.probability, s.reason, s.user_id, iso(s.started_at) as started_at,
      iso(s.finished_at) as finished_at,
      coalesce((select json_agg(json_build_object('number', t.number, 'build_id', t.build_run_id::text, 'change', ${change(sql`t.change_id`)},
          'verdict', t.verdict, 'duration_seconds', b.duration_seconds) order by t.number)
        from bisection_builds t left join build_runs b on b.account_id = t.account_id and b.id = t.build_run_id
        where t.account_id = s.account_id and t.bisection_id = s.id), '[]') as builds
    from bisections s where s.account_id = ${project.account_id} and s.project_id = ${project.project_id} and s.breakage_id = ${breakageId}
    order by s.id desc limit 1`)
  if (!row) return { bisection: null, can_bisect }
  const { number, project_id, ...shown } = row
  const search = await searchOf(db, { account_id: project.account_id, id: number })
  const possible = posteriorOf(search)
    .slice(0, -1)
    .filter((probability) => probability > 0)
  return {
    can_bisect,
    bisection: {
      ...shown,
      remaining_count: shown.status === 'found' ? 1 : possible.length,
      duration_seconds: shown.builds.reduce((sum, { duration_seconds }) => sum + (duration_seconds ?? 0), 0),
      waits_until:
        shown.status === 'running' && shown.builds.every(({ verdict }) => verdict !== null) ? await nextSlot(db, project) : null,
    },
  }
}

/** When the project may start the next build: null for now. */
export const nextSlot = async (db: Database, { account_id, project_id }: ProjectKey): Promise<string | null> =>
  (await db.one<{ at: string | null }>(sql`
    select iso(max(t.started_at) + interval '1 day') as at from projects p, lateral (
      select t.started_at, row_number() over (order by t.started_at desc) as place from bisection_builds t
      where t.account_id = p.account_id and t.project_id = p.id and t.started_at > goldmaster_now() - interval '1 day') t
    where p.account_id = ${account_id} and p.id = ${project_id} and t.place >= p.bisect_builds_per_day`))!.at
