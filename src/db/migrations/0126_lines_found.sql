-- online
-- Filtering a list by branch finds the branches of this name in all repositories.
create index concurrently if not exists change_branches_told_newest
  on change_branches (project_id, coalesce(told, branch), timestamp desc, change_id desc);
drop index concurrently if exists change_branches_newest;
