-- When a build began by our own clock: when its start was reported, or its duration before its end was. Null for builds that were loaded, and
-- for those from before: of them only what the CI said is known.
alter table build_runs add column begin_received_at timestamptz(3);
-- Whether the times that were told were ahead of their receipt and corrected, or far behind it.
alter table build_runs add column time_note text;
