-- The build that started this one, where the CI names it: what fails because that one failed is no breakage of its own.
alter table build_runs add column upstream_job text;
alter table build_runs add column upstream_number text;
