-- What a branch must pass: [{"branch": "//game/rel-*", "jobs": ["Cook Win64"]}]; the first pattern that fits counts, none fits all jobs.
alter table projects add column required_jobs jsonb not null default '[]';

-- Who has it may see the state of the project's branches as a picture; null while that is off.
alter table projects add column badge_key text;
create unique index projects_badge on projects (badge_key) where badge_key is not null;
