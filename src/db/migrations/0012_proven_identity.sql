-- Addresses and names elsewhere count once they are proven.

-- Those who sign up by themselves had to follow a mailed link. Where no mail was ever sent there was no server to send it, and
-- whoever set the service up needs no link.
update users set email_verified = true
where not email_verified and (operator or not exists (select from mails where sent_at is not null));

-- False for what people say of themselves: it counts in an account once one of its owners has confirmed it there. What an operator, a
-- world file or the tool itself says needs nobody's confirmation, and neither does what was there before.
alter table connected_accounts add column proven boolean not null default true;

create table connected_account_confirmations (
  account_id           integer not null references accounts on delete cascade,
  connected_account_id integer not null references connected_accounts on delete cascade,
  confirmed_by         integer references users on delete set null,
  created_at           timestamptz(3) not null default now(),
  primary key (account_id, connected_account_id)
);
create index connected_account_confirmations_of on connected_account_confirmations (connected_account_id);
