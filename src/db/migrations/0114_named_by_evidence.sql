-- Whoever is named must be able to see why: a shared word or a project file of the same folder is no evidence. A score of 0.25 takes a changed
-- file that the failure names, or the very kind of file that such failures come from. The only change in the range is evidence itself.
create or replace function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0
    and suspects -> 0 -> 'reasons' ->> 0 not in ('says that it is about documentation', 'holds no kind of file that could cause such a failure')
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0)
    and ((suspects -> 0 ->> 'score')::float8 >= 0.25 or jsonb_array_length(suspects) = 1) then suspects -> 0 end;
