-- When the tracker says that it last told each part of an item, by the part's name; one that does not say leaves null.
alter table external_references add column told_at jsonb not null default '{}';
