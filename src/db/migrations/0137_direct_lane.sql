-- Messages to people have a pace of their own: they do not wait for a busy room, nor a room for them.
alter table channels add column direct_rests_until timestamptz(3) not null default now();
create index channel_messages_lane on channel_messages (channel_id, (to_user_id <> 0), turn) where status in ('waiting', 'sending');
drop index channel_messages_queue;
