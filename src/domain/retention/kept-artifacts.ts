import { sql } from '../../db/database.ts'
import { BRANCH } from '../branches/positions.ts'
import { PLATFORM } from '../builds/builds.ts'
import { IS_CURRENT } from '../deployments/live.ts'
import { COUNTED, isOf, type Purge } from './purge.ts'

/** On its way into a store, or the newest that is live on its track. */
const IN_STORE = sql`
  select from deployments d where d.account_id = r.account_id and d.build_run_id = r.id and (
    d.status in ('pending', 'submitted', 'uploading', 'in_review', 'approved') or ${IS_CURRENT})`

/**
 * Artifacts of builds beyond the number that an account keeps of each job (with its platform and configuration), branch and platform. The newest build that counts as passed keeps its artifacts,
 * and so do builds in a store. After the first run few builds have more: reading them costs as much as what is kept.
 */
export const artifactsBeyondCount: Purge = {
  table: 'artifacts',
  statement: (batch) => sql`
    with kept as materialized (
        select a.id as account_id, (a.retention ->> 'artifact_builds')::integer as builds from accounts a
        where ${isOf(batch, 'a.id')} and a.retention ? 'artifact_builds'),
      ranked as (
        select b.account_id, b.id, k.builds, coalesce(b.verdict = 'passed', false) as passed, row_number() over newest as place,
          row_number() over (partition by b.account_id, b.project_id, b.kind, b.job, ${BRANCH}, ${PLATFORM}, coalesce(b.verdict = 'passed', false)
            order by b.created_at desc, b.id desc) as place_of_outcome
        from kept k
        cross join lateral (
          select distinct x.build_run_id from artifacts x where ${isOf(batch, 'x.account_id')} and x.account_id = k.account_id and x.completed_at is not null) x
        join build_runs b on b.account_id = k.account_id and b.id = x.build_run_id and ${isOf(batch, 'b.account_id')}
        window newest as (partition by b.account_id, b.project_id, b.kind, b.job, ${BRANCH}, ${PLATFORM} order by b.created_at desc, b.id desc)),
      due as materialized (
        select x.ctid as row from ranked r join artifacts x on x.account_id = r.account_id and x.build_run_id = r.id and ${isOf(batch, 'x.account_id')}
        where r.place > r.builds and not (r.passed and r.place_of_outcome = 1) and x.completed_at is not null and not exists (${IN_STORE})
        limit ${batch.size} for update of x skip locked),
      gone as (delete from artifacts where ${isOf(batch)} and ctid = any (array(select row from due)) returning 1)
    ${COUNTED}`,
}
