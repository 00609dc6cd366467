-- online
-- How many messages nobody knows the fate of, without reading all of them.
create index concurrently if not exists channel_messages_uncertain on channel_messages (channel_id) where status = 'uncertain';
