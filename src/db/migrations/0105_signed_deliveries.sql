-- Whether an integration accepts only signed deliveries, also on paths that otherwise accept the webhook token alone.
alter table integrations add column requires_signature boolean not null default false;
