-- Who did it, where a user's id alone does not say: an operator on the machine, a job, a provider. Null in entries of before, whose hashes stay
-- what they were.
alter table audit_log add column actor text;

create or replace function audit_hash(previous bytea, entry audit_log) returns bytea language sql immutable as $$
  select sha256(coalesce(previous, '') || convert_to((jsonb_build_array(entry.account_id, entry.id, extract(epoch from entry.at),
    entry.user_id, entry.token_id, entry.ip_address, entry.action, entry.project_id, entry.subject, entry.before, entry.after,
    entry.position) || case when entry.actor is null then '[]' else jsonb_build_array(entry.actor) end)::text, 'UTF8'))
$$;
