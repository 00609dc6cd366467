import { type Database, sql } from '../db/database.ts'
import type { ProjectKey, RecordKey } from '../db/project-key.ts'
import { storeSizes } from '../domain/builds/sizes.ts'
import { announcementOf } from '../domain/channels/announcements.ts'
import type { Recipient } from '../domain/inbox/delivery-method.ts'
import { judgeMeasures } from '../domain/measures/judge.ts'
import type { Loaded } from '../world/loaded.ts'
import type { Game } from './game.ts'

/** Every finished build went through the phases of its job, up to where it failed. */
export async function addPhases(db: Database, games: readonly Game[], loaded: Loaded) {
  for (const { key, jobs } of games)
    for (const { name, phases } of jobs)
      await db.execute(sql`
        insert into build_steps (account_id, build_run_id, name, status, started_at, finished_at, duration_seconds)
        select b.account_id, b.id, p.name, case when b.status = 'failed' and p.place = reached.phases then 'failed' else 'completed' end,
          b.started_at + make_interval(secs => b.duration_seconds * (p.place - 1) / reached.phases::float8),
          b.started_at + make_interval(secs => b.duration_seconds * p.place / reached.phases::float8),
          b.duration_seconds / reached.phases
        from build_runs b
        cross join lateral (select coalesce(array_position(${phases}::text[], nullif(b.phase, '')), ${phases.length}) as phases) reached
        cross join lateral unnest(${phases}::text[]) with ordinality p (name, place)
        where b.project_id = ${loaded.projects[key]!.id} and b.ci_job_name = ${name} and b.finished_at is not null and b.status <> 'cancelled'
          and p.place <= reached.phases
        order by b.id, p.place`)
}

/** Alerts of measures over their budget, with the assets that grew. */
export async function judgeBudgets(db: Database, games: readonly Game[], loaded: Loaded) {
  const listed = await db.rows<RecordKey & { log: string }>(sql`
    select account_id, id, output_log as log from build_runs where output_log like '%LogPakFile%' order by id`)
  for (const { log, ...build } of listed) await storeSizes(db, build, log)
  const projects = await db.rows<ProjectKey>(sql`
    select account_id, id as project_id from projects where id = any (${games.map(({ key }) => loaded.projects[key]!.id)}::integer[]) order by id`)
  for (const project of projects) await judgeMeasures(db, project)
  await db.execute(sql`
    update measure_alerts a set opened_at = b.finished_at, updated_at = b.finished_at
    from build_runs b where b.account_id = a.account_id and b.id = a.build_run_id`)
}

/** The last delivery of each tool, for its integration page. */
export const addDeliveries = (db: Database, now: Date) =>
  db.execute(sql`
    insert into deliveries (account_id, integration_id, received_at, path, event, dedupe_key, counts, outcome, status, milliseconds, body_note)
    select i.account_id, i.id, least(${now.toISOString()}::timestamptz, coalesce(last.at, ${now.toISOString()}::timestamptz - interval '40 minutes')), '/webhooks/' || i.provider,
      'demo', 'demo ' || i.id || ' ' || last.place, true, 'processed', 200, 12, 'The demo keeps no bodies.'
    from integrations i cross join lateral (
      select place, case when i.provider in ('perforce', 'github', 'lore') then (
          select max(c.created_at) from changes c where c.project_id = i.project_id)
        when place = 1 then (select max(b.updated_at) from build_runs b where b.integration_id = i.id) end - make_interval(hours => place - 1) as at
      from generate_series(3, 1, -1) place) last
    order by i.id, last.place desc`)

interface Concern extends Recipient {
  at: string
}

/** Recent notifications of people; nothing is mailed or posted. */
export async function fillInboxes(db: Database) {
  const concerns = await db.rows<Concern>(sql`
    (select (named_suspect(k.suspects) ->> 'user_id')::integer as user_id, k.account_id, k.project_id, 'suspected' as kind, 'breakage' as subject,
      k.id::text as subject_id, k.opened_at as at
    from breakages k where named_suspect(k.suspects) ->> 'user_id' is not null and k.state <> 'withdrawn' order by k.opened_at desc limit 20)
    union all (
    select distinct on (r.user_id, a.project_id, a.commit_sha) r.user_id, a.account_id, a.project_id, 'approval', 'approval', a.commit_sha, a.created_at
    from approvals a join project_access r on r.project_id = a.project_id and r.project_role in ('approver', 'lead') and r.account_role = 'owner'
    where a.status = 'pending' and a.commit_sha <> '' order by r.user_id, a.project_id, a.commit_sha, a.created_at desc limit 12)
    union all (
    select t.user_id, t.account_id, t.project_id, 'task', 'task', t.id::text, t.updated_at
    from tasks t where t.user_id is not null and t.state <> 'completed' order by t.updated_at desc limit 20)`)
  for (const { at, ...concern } of concerns) {
    const said = await announcementOf(db, { ...concern, here: false }, '')
    if (!said) continue
    await db.execute(sql`
      insert into notifications (user_id, account_id, project_id, kind, subject, subject_id, title, path, at, read_at)
      values (${concern.user_id}, ${concern.account_id}, ${concern.project_id}, ${concern.kind}, ${concern.subject}, ${concern.subject_id},
        ${said.title}, ${said.url}, ${at}, case when ${at}::timestamptz < now() - interval '3 days' then ${at}::timestamptz end)
      on conflict do nothing`)
  }
}
