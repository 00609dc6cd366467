-- The first of the changes in question, where something speaks against it: without a reason it is only the first.
create function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0 then suspects -> 0 end;
