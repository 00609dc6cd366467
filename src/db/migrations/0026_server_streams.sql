-- The streams that a version control server told, and when: [{"path", "parent", "imports"}].
alter table integrations add column streams jsonb, add column streams_at timestamptz(3);
