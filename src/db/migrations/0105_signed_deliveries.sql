-- Whether an integration takes nothing but signed deliveries, also on paths where the webhook token alone would do.
alter table integrations add column requires_signature boolean not null default false;
