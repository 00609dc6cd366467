-- online
-- Less than a delivery's whole body may be stored: its length as it arrived, and why ('duplicate', 'refused' or 'quota').
alter table deliveries add column if not exists body_bytes integer, add column if not exists body_note text;

-- Bytes of bodies stored for an account, by the day they arrived. Nodes add what they stored once in a while: no row is written by
-- every delivery.
create table if not exists stored_bodies (
  account_id bigint not null references accounts on delete cascade,
  day        date not null,
  bytes      bigint not null,
  primary key (account_id, day)
);

-- Until when a tool may hand over a signing secret; a new integration is about to be set up.
alter table integrations add column if not exists handshake_until timestamptz(3);
alter table integrations alter column handshake_until set default now() + interval '1 hour';
