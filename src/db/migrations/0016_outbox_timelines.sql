-- A database that was restored, or a standby that took over, may lack the last positions that were told: it goes on far above them, so
-- that a position never stands for two events. Positions between the two ends of such a leap were told by a history that is gone.
create table outbox_timelines (
  id             bigint generated always as identity primary key,
  identity       text not null,
  last_position  bigint not null,
  first_position bigint not null,
  began_at       timestamptz(3) not null default now()
);
