-- Signing in through a studio's own OpenID provider.

create table sso_connections (
  account_id           integer primary key references accounts on delete cascade,
  issuer               text not null,
  client_id            text not null,
  -- Encrypted with the service's key.
  client_secret_sealed text not null,
  -- Providers that never say whether an address is verified, and whose people cannot change theirs.
  trusts_email         boolean not null default false,
  groups_claim         text not null default 'groups',
  -- [{"group": …, "role": …}]; empty leaves roles to the account's owners.
  role_groups          jsonb not null default '[]',
  -- For people in none of the groups; null keeps them out.
  default_role         text default 'member',
  -- Members with an address of these domains have no other way in.
  required             boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now()
);

-- Whose addresses a provider speaks for. A domain has one provider, and an operator vouches for it.
create table sso_domains (
  domain     text primary key,
  account_id integer not null references sso_connections on delete cascade
);
create index sso_domains_account on sso_domains (account_id);

-- Sessions that a provider opened, and what it wants to see when they end.
create table sso_sessions (
  session_id      integer primary key references sessions on delete cascade,
  account_id      integer not null references accounts on delete cascade,
  id_token_sealed text not null
);
create index sso_sessions_account on sso_sessions (account_id);

-- A password that an operator set opens the door although the provider is required, until its owner comes through the provider again.
alter table logins add column set_by_operator boolean not null default false;
