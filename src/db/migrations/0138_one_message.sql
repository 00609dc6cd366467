-- How a person heard of it beside the inbox: a mention in a room, a message to them alone, or a mail. Null: not at all.
alter table notifications add column way text;
-- What Unreal Game Sync said fixed it, until that change is known.
alter table breakages add column fixed_in text;
create index breakages_fixed_in on breakages (project_id, fixed_in) where fixed_in is not null;
