-- Where a tool shows a change, and the files as they were with it ({path} and {line} are filled in). Empty where it does not tell.
alter table changes add column url text not null default '';
alter table changes add column file_url text not null default '';
