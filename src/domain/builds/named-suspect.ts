import { sql } from '../../db/database.ts'

/** The suspect of a breakage `k` that lists show, with the author of the change. */
export const NAMED_SUSPECT = sql`(
  select json_build_object('change_id', s -> 'change_id', 'user_id', s -> 'user_id', 'author', (
    select coalesce(nullif(c.author, ''), c.display_identifier) from changes c
      where c.account_id = k.account_id and c.id = (s ->> 'change_id')::bigint))
  from (select named_suspect(k.suspects) as s) x where s is not null)`
