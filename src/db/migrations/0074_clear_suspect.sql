-- The first of the changes in question, where something speaks against it and more than against anybody else's.
create or replace function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0) then suspects -> 0 end;
