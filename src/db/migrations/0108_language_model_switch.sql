-- An account may keep its findings from the language model that the operator configured; until then it words them as before.
alter table accounts add column uses_language_model boolean not null default true;
