-- What an owner sent to try an integration: it was read and applied, and what it made taken back.
alter table deliveries add column test boolean not null default false;
