-- online
-- What somebody did or is to do, newest first: their part of the feed.

create index concurrently if not exists changes_own on changes (account_id, author_user_id, timestamp desc, id desc)
  where author_user_id is not null and orphaned_at is null;
create index concurrently if not exists tasks_own on tasks (account_id, user_id, updated_at desc, id desc) where user_id is not null;
create index concurrently if not exists approvals_own on approvals (account_id, approver_user_id, happened_at desc, id desc)
  where approver_user_id is not null;
