import { type Sql, sql } from '../../db/database.ts'

/** The suspect of a breakage `k` that lists show, with the author of the change. */
export const NAMED_SUSPECT = sql`(
  select json_build_object('change_id', s -> 'change_id', 'user_id', s -> 'user_id', 'author', (
    select coalesce(nullif(c.author, ''), c.display_identifier) from changes c
      where c.account_id = k.account_id and c.id = (s ->> 'change_id')::bigint))
  from (select named_suspect(k.suspects) as s) x where s is not null)`

/** Suspects as they are shown: each with the author and the identifier of its change, as they are now. */
export const suspectsWithChanges = (suspects: Sql, accountId: Sql): Sql => sql`(
  select coalesce(json_agg(json_build_object('change_id', s.value -> 'change_id', 'display_identifier', c.display_identifier, 'author', c.author,
    'user_id', s.value -> 'user_id', 'score', s.value -> 'score', 'reasons', s.value -> 'reasons', 'reason_codes', s.value -> 'reason_codes')
    order by s.ordinality), '[]')
  from jsonb_array_elements(${suspects}) with ordinality s
  left join changes c on c.account_id = ${accountId} and c.id = (s.value ->> 'change_id')::bigint)`
