-- Each time a breakage opens is an occurrence with its own first failure, range, suspects, owner and end. The row of the breakage shows the
-- newest one. A breakage that loses all builds of its newest occurrence is withdrawn, not fixed.

create table breakage_occurrences (
  account_id            integer not null,
  project_id            integer not null,
  breakage_id           bigint not null,
  -- From 1, in their order on the branch.
  number                integer not null,
  opened_at             timestamptz(3) not null,
  first_build_run_id    bigint references build_runs on delete set null,
  build_count           integer not null default 0,
  last_good_change_id   bigint references changes on delete set null,
  first_bad_change_id   bigint references changes on delete set null,
  suspects              jsonb not null default '[]',
  -- It passes and fails without a change, so it has no suspects.
  flickering            boolean not null default false,
  owner_user_id         integer references users on delete set null,
  claimed_at            timestamptz(3),
  fixed_at              timestamptz(3),
  fixed_by_change_id    bigint references changes on delete set null,
  -- The fixing change is after the first of these and not after the second.
  fixed_after_change_id bigint references changes on delete set null,
  fixed_up_to_change_id bigint references changes on delete set null,
  -- When a person resolved it, and the position of the branch at that time.
  resolved_at           timestamptz(3),
  resolved_position     bigint,
  primary key (account_id, breakage_id, number),
  foreign key (account_id, breakage_id) references breakages (account_id, id) on delete cascade
);
create index breakage_occurrences_fixed on breakage_occurrences (project_id, fixed_at desc) where fixed_at is not null;
create index breakage_occurrences_opened on breakage_occurrences (project_id, opened_at desc);

alter table breakages add column occurrence integer not null default 0;
alter table breakages add column first_opened_at timestamptz(3);
alter table breakages add column fixed_after_change_id bigint references changes on delete set null;
alter table breakages add column fixed_up_to_change_id bigint references changes on delete set null;
alter table breakages add column withdrawn_reason text;
alter table breakages add column same_as_breakage_id bigint;
-- When a person reopened it.
alter table breakages add column unfixed_at timestamptz(3);
-- How often a reopening was announced. The number of occurrences can differ: builds that are reported late change it.
alter table breakages add column reopenings integer not null default 0;
-- The range for which suspects were last computed.
alter table breakages add column reviewed_range text;
create index breakages_unsettled on breakages (project_id, opened_at desc, id desc) where state not in ('fixed', 'withdrawn');

alter table breakage_builds add column occurrence integer;

-- A follow-up message is about one occurrence.
alter table channel_messages add column occurrence integer not null default 0;

insert into breakage_occurrences (account_id, project_id, breakage_id, number, opened_at, first_build_run_id, build_count, last_good_change_id,
  first_bad_change_id, suspects, flickering, owner_user_id, claimed_at, fixed_at, fixed_by_change_id, resolved_at, resolved_position)
select account_id, project_id, id, 1, opened_at, first_build_run_id, build_count, last_good_change_id, first_bad_change_id, suspects, flaky,
  owner_user_id, claimed_at, fixed_at, fixed_by_change_id, resolved_at, resolved_position
from breakages;
update breakages set occurrence = 1, first_opened_at = opened_at, reopenings = reopened_count;
update breakage_builds set occurrence = 1;

-- Only reasons for a suspicion name a person: reasons against it come after them, or alone.
create or replace function named_suspect(suspects jsonb) returns jsonb language sql immutable parallel safe
  return case when jsonb_array_length(suspects -> 0 -> 'reasons') > 0
    and suspects -> 0 -> 'reasons' ->> 0 not in ('says that it is about documentation', 'holds no kind of file that could cause such a failure')
    and (suspects -> 0 ->> 'score')::float8 >= 1.2 * coalesce((suspects -> 1 ->> 'score')::float8, 0) then suspects -> 0 end;
