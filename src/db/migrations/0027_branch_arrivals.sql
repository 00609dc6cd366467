-- online
-- A build that names no change stands where its branch stood when it began.
create index concurrently if not exists change_branches_arrival
  on change_branches (account_id, project_id, branch, arrived_at desc, position desc);
