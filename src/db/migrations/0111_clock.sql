-- The clock for waiting times: how long a failure waits for its log, when a breakage is too old to reopen, how often a room gets a post about
-- a flickering one. It is the database's own time; tests replace this function to move all processes on this database to another day.
create function goldmaster_now() returns timestamptz language sql stable parallel safe return now();

alter table change_branches alter column arrived_at set default goldmaster_now();
