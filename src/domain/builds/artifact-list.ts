import { type Sql, sql } from '../../db/database.ts'

/** The address of an uploaded artifact `a` for programs with a token; a session has it below its own prefix. */
export const artifactUrl = (site: string): Sql =>
  sql`${site}::text || '/api/v1/projects/' || a.project_id || '/artifacts/' || a.id`

/** The artifacts of a build `b`: what it reported, and what it uploaded in place of the reported one of that name. */
export const artifactsOf = (site: string): Sql => sql`(
  select coalesce(jsonb_agg(x.item order by x.place, x.item ->> 'name'), '[]') from (
    select r.item, r.place from jsonb_array_elements(b.artifacts) with ordinality r (item, place)
    where not exists (
      select from artifacts a where a.account_id = b.account_id and a.build_run_id = b.id and a.completed_at is not null
        and a.name = r.item ->> 'name')
    union all
    select jsonb_build_object('name', a.name, 'size_bytes', a.bytes, 'url', ${artifactUrl(site)}), 0 from artifacts a
    where a.account_id = b.account_id and a.build_run_id = b.id and a.completed_at is not null) x)`
