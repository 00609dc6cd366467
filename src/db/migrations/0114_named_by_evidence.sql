-- A suspect needs evidence: a shared word or a project file in the same folder is not enough. A score of 0.25 needs a changed file that the
-- failure names, or the kind of file that causes such failures. Being the only change in the range is evidence too.
create or replace function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0
    and suspects -> 0 -> 'reasons' ->> 0 not in ('says that it is about documentation', 'holds no kind of file that could cause such a failure')
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0)
    and ((suspects -> 0 ->> 'score')::float8 >= 0.25 or jsonb_array_length(suspects) = 1) then suspects -> 0 end;
