-- The start of a build by our own clock: the receipt of its start, or the receipt of its end minus its duration. Null for loaded and older
-- builds, of which only the CI's times are known.
alter table build_runs add column begin_received_at timestamptz(3);
-- Whether the reported times were ahead of their receipt and corrected, or long before it.
alter table build_runs add column time_note text;
