-- Where the audit log of an account is sent as it grows: a syslog server, or an address that takes JSON lines.
create table audit_streams (
  account_id    integer primary key references accounts on delete cascade,
  url           text not null,
  -- Sealed: sent along as a bearer token, or what signs; empty for none.
  secret_sealed text not null default '',
  -- The place in the chain up to which the receiver has everything.
  position      bigint not null,
  tries         integer not null default 0,
  next_at       timestamptz(3) not null default now(),
  failing_since timestamptz(3),
  error         text not null default '',
  created_at    timestamptz(3) not null default now(),
  updated_at    timestamptz(3) not null default now()
);
