-- What was read from a delivery whose tool was answered before it is applied, as JSON: the job need not read the body a second time.
-- Null as soon as it is applied or given up. Text, because jsonb cannot hold \u0000.
alter table deliveries add column facts text;
