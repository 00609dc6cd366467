-- How a person was notified besides the inbox: a mention in a room, a direct message, or an email. Null: not at all.
alter table notifications add column way text;
-- The change that fixed it according to Unreal Game Sync, until that change is reported.
alter table breakages add column fixed_in text;
create index breakages_fixed_in on breakages (project_id, fixed_in) where fixed_in is not null;
