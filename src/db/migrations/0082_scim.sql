-- What a studio's provider says of its people by itself, without one of them signing in.

create table scim_tokens (
  account_id integer primary key references sso_connections on delete cascade,
  hash       bytea not null unique check (octet_length(hash) = 32),
  created_at timestamptz(3) not null default now()
);

-- Who was told of. Somebody inactive stays here, so that they are found again, and cannot come in through the provider.
create table scim_users (
  account_id  integer not null references accounts on delete cascade,
  user_id     integer not null references users on delete cascade,
  external_id text,
  active      boolean not null default true,
  created_at  timestamptz(3) not null default now(),
  primary key (account_id, user_id)
);
create index scim_users_user on scim_users (user_id);
