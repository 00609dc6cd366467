-- Keys that identify the compile or link errors of a breakage: compilers word one cause differently, and its line may move.
alter table breakages add column cause_keys text[] not null default '{}';
-- An older breakage is identified by its message.
update breakages set cause_keys = array[fingerprint] where category in ('compile_error', 'shader_error', 'link_error');
create index breakages_cause_keys on breakages using gin (cause_keys);
