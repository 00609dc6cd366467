-- Lists as somebody has narrowed them, under a name: theirs alone, wherever they sign in.

create table saved_views (
  id         bigint generated always as identity primary key,
  account_id integer not null,
  user_id    integer not null,
  name       text not null,
  -- The page and what stands behind the question mark of its address.
  path       text not null,
  query      text not null,
  created_at timestamptz(3) not null default now(),
  unique (account_id, user_id, path, name),
  foreign key (user_id, account_id) references account_members (user_id, account_id) on delete cascade
);
