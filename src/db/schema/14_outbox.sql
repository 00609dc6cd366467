create sequence outbox_position;

-- What happened, in the order it was committed. Writers leave rows without a position; one reader at a time numbers what it sees,
-- so that a position is never passed by a transaction that commits late, whatever its number was.
create table outbox (
  id           bigint generated always as identity primary key,
  position     bigint,
  account_id   integer not null,
  project_id   integer not null,
  kind         text not null,
  row_id       text not null,
  written_at   timestamptz(3) not null default now(),
  event_type   text,
  happened_at  timestamptz(3),
  facts        json
);
create index outbox_waiting on outbox (id) where position is null;
create unique index outbox_order on outbox (position) where position is not null;
create index outbox_account on outbox (account_id, position) where position is not null;
-- Only numbered rows are purged, and a row is indexed once: numbering it writes a new version.
create index outbox_age on outbox (written_at) where position is not null;

-- A database that was restored, or a standby that took over, may lack the last positions that were told: it goes on far above them, so
-- that a position never stands for two events. Positions between the two ends of such a leap were told by a history that is gone.
create table outbox_timelines (
  id              bigint generated always as identity primary key,
  identity        text not null,
  last_position   bigint not null,
  first_position  bigint not null,
  began_at        timestamptz(3) not null default now()
);

-- How far each reader of the outbox has come. What a reader queues is committed together with its cursor.
create table outbox_cursors (
  reader    text primary key,
  position  bigint not null
);
insert into outbox_cursors (reader, position) values ('fixes', 0), ('channels', 0), ('inbox', 0);
