create sequence outbox_position;

-- Events in the order of commits. Writers insert rows without a position; one reader at a time assigns positions to the rows it sees, so
-- that a transaction that commits late is never skipped.
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
create index outbox_waiting on outbox (id) where position is null;
create unique index outbox_order on outbox (position) where position is not null;
create index outbox_account on outbox (account_id, position) where position is not null;
-- Only numbered rows are purged, and a row is indexed once: numbering it writes a new version.
create index outbox_age on outbox (written_at) where position is not null;

-- A restored database, or a standby after a failover, may lack the last positions that were sent: it continues far above them, so that a
-- position never stands for two events. Positions within such a gap belong to a lost timeline.
create table outbox_timelines (
  id              bigint generated always as identity primary key,
  identity        text not null,
  last_position   bigint not null,
  first_position  bigint not null,
  began_at        timestamptz(3) not null default now()
);

-- How far each reader of the outbox has read. A reader's messages are committed together with its cursor.
create table outbox_cursors (
  reader    text primary key,
  position  bigint not null
);
insert into outbox_cursors (reader, position) values ('fixes', 0), ('channels', 0), ('inbox', 0);
