-- Direct messages have a separate rate limit: they do not wait for a busy room, and rooms do not wait for them.
alter table channels add column direct_rests_until timestamptz(3) not null default now();
create index channel_messages_lane on channel_messages (channel_id, (to_user_id <> 0), turn) where status in ('waiting', 'sending');
drop index channel_messages_queue;
