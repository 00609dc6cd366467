-- What renews an assistant's login: each works once and is followed by another. Used ones stay, so that a second use is noticed.
create table refresh_tokens (
  hash         bytea primary key check (octet_length(hash) = 32),
  token_id     integer not null references api_tokens on delete cascade,
  assistant_id text not null,
  used_at      timestamptz(3),
  -- What its use was answered with, for a retry; encrypted with the refresh token itself, so that nobody else can read it.
  answer       text,
  -- The end of the login, which renewing does not put off.
  expires_at   timestamptz(3) not null,
  created_at   timestamptz(3) not null default now()
);
create index refresh_tokens_token on refresh_tokens (token_id, created_at desc);
create index refresh_tokens_age on refresh_tokens (expires_at);
