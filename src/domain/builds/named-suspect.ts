import { sql } from '../../db/database.ts'

/** Whom lists name as the suspect of a breakage `k`, with the author that its change tells. */
export const NAMED_SUSPECT = sql`(
  select json_build_object('change_id', s -> 'change_id', 'user_id', s -> 'user_id', 'author', (
    select coalesce(nullif(c.author, ''), c.display_identifier) from changes c where c.id = (s ->> 'change_id')::bigint))
  from (select named_suspect(k.suspects) as s) x where s is not null)`
