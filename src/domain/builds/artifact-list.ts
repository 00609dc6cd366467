import { ARTIFACTS_SHOWN } from '../../contract/limits.ts'
import { type Sql, sql } from '../../db/database.ts'
import { inlineInteger } from '../../db/page.ts'

/** The address of an uploaded artifact `a` for programs with a token; a session has it below its own prefix. */
export const artifactUrl = (site: string): Sql =>
  sql`${site}::text || '/api/v1/projects/' || a.project_id || '/artifacts/' || a.id`

/**
 * The first artifacts of a build `b`, and how many it has: what it uploaded in place of the reported ones of that name, and what it reported.
 * The others have a list of their own.
 */
export const artifactsOf = (site: string): Sql => sql`
  select coalesce(jsonb_agg(x.item order by x.number) filter (where x.number <= ${inlineInteger(ARTIFACTS_SHOWN)}), '[]') as artifacts,
    count(*)::integer as artifact_count
  from (
    select x.item, row_number() over (order by x.place, x.item ->> 'name') as number from (
      select r.item, r.place from jsonb_array_elements(b.artifacts) with ordinality r (item, place)
      where r.item ->> 'name' not in (
        select a.name from artifacts a where a.account_id = b.account_id and a.build_run_id = b.id and a.completed_at is not null)
      union all
      select jsonb_build_object('name', a.name, 'size_bytes', a.bytes, 'url', ${artifactUrl(site)}), 0 from artifacts a
      where a.account_id = b.account_id and a.build_run_id = b.id and a.completed_at is not null) x) x`
