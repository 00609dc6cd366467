-- The stage of a request before it was decided, for whoever undoes the decision; null where nobody had asked.
alter table approvals add column asked_stage text;
