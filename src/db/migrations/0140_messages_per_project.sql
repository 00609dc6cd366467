-- A changelist number names another change in every project: what was said of one says nothing of the other.
alter table notifications drop constraint notifications_user_id_kind_subject_subject_id_key;
alter table notifications add unique (user_id, project_id, kind, subject, subject_id);
alter table channel_messages drop constraint channel_messages_channel_id_subject_subject_id_occasion_to__key;
create unique index channel_messages_once on channel_messages (channel_id, (coalesce(project_id, 0)), subject, subject_id, occasion, to_user_id);
