-- When the suspects of an investigation were computed again, because changes or builds were reported late.
alter table investigations add column reviewed_at timestamptz(3);
