-- online
-- The audit log is listed by time, which an action or a person narrows.
create index concurrently if not exists audit_log_time on audit_log (account_id, at desc, id desc);
create index concurrently if not exists audit_log_action_time on audit_log (account_id, action, at desc, id desc);
create index concurrently if not exists audit_log_user_time on audit_log (account_id, user_id, at desc, id desc);
drop index concurrently if exists audit_log_action;
drop index concurrently if exists audit_log_user;
