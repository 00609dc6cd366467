-- online
-- What purging needs to find its rows by; see domain/retention.ts.

-- Deleting a delivery looks for its replays.
create index concurrently if not exists deliveries_replays on deliveries (replay_of) where replay_of is not null;

-- Messages of a webhook that is switched off wait without end and would be passed over with every batch.
create index concurrently if not exists outgoing_finished on outgoing (created_at) where status <> 'waiting';
drop index concurrently if exists outgoing_age;

-- The outbox is purged in the order of its ids.
drop index concurrently if exists outbox_age;
