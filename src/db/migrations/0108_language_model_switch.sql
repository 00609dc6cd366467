-- Whether the operator's language model words the findings of an account; on unless the account turns it off.
alter table accounts add column uses_language_model boolean not null default true;
