-- Events in the order of commits, numbered per account. Writers insert rows without a position; one reader at a time assigns positions to
-- the rows of an account that it sees, so that a transaction that commits late is never skipped.
create table outbox (
  account_id   integer not null,
  id           bigint generated always as identity,
  position     bigint,
  project_id   integer not null,
  kind         text not null,
  row_id       text not null,
  written_at   timestamptz(3) not null default now(),
  event_type   text,
  happened_at  timestamptz(3),
  facts        json,
  primary key (account_id, id)
);
create index outbox_waiting on outbox (account_id, id) where position is null;
create unique index outbox_order on outbox (account_id, position) where position is not null;
-- Only numbered rows are purged, and a row is indexed once: numbering it writes a new version.
create index outbox_age on outbox (written_at) where position is not null;

-- The newest position of each account, and how far each reader inside the service has read: a reader's messages are committed together with
-- its cursor. No reference to the account: the events of a deleted one are numbered too.
create table outbox_heads (
  account_id  integer primary key,
  position    bigint not null,
  -- The server and its timeline that gave the newest position. A restored database, or a standby after a failover, may lack the last
  -- positions that were sent: it continues far above them, so that a position never stands for two events.
  identity    text not null,
  -- Positions within such gaps belong to a lost timeline.
  lost        int8multirange not null default '{}',
  fixes       bigint not null default 0,
  channels    bigint not null default 0,
  inbox       bigint not null default 0,
  -- Accounts take turns: who was read longest ago is first.
  read_at     timestamptz(3) not null default now()
);
create index outbox_heads_unread on outbox_heads (account_id) where position > least(fixes, channels, inbox);
