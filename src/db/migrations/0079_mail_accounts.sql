-- online
-- Which account caused a mail: it goes with the account, and mails to new addresses are counted by it. Null for what the service itself
-- writes (passwords, confirmations), for digests of several accounts, and for what nodes of the version before write.

alter table mails add column if not exists account_id integer references accounts on delete cascade;
create index concurrently if not exists mails_account on mails (account_id, created_at) where account_id is not null;
