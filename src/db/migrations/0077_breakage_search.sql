-- online
-- Breakages are found too. Those that are there, and what a node of before takes from the queue without knowing them, the indexer queues.

create or replace trigger breakages_new_for_search after insert on breakages
  referencing new table as new_rows for each statement execute function queue_new_for_search('breakage');
create or replace trigger breakages_changed_for_search after update on breakages for each row
  when ((old.cause, old.jobs, old.branch) is distinct from (new.cause, new.jobs, new.branch)
    or old.evidence -> 0 ->> 'text' is distinct from new.evidence -> 0 ->> 'text')
  execute function queue_changed_for_search('breakage');
create or replace trigger breakages_deleted_from_search after delete on breakages for each row
  execute function delete_from_search('breakage');
