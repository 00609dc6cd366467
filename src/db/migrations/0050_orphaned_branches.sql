-- A forced push leaves a change behind on the branch that was pushed: on others it may still be.
alter table change_branches add column orphaned_at timestamptz(3);
