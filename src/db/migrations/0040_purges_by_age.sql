-- online
-- Purges find their rows by age, in whatever order they were written: a clock that ran ahead for a while must not keep what came after it.

create index concurrently if not exists deliveries_age on deliveries (received_at);
-- Only numbered rows are purged, and a row is indexed once: numbering it writes a new version.
create index concurrently if not exists outbox_age on outbox (written_at) where position is not null;
