-- Assistants that log in by themselves at /mcp: each says once who it is and where it wants the browser to come back to.

create table assistants (
  -- Made from what it said, so that saying the same again makes no second row.
  id            text primary key,
  name          text not null,
  -- Without the port where they lead to the person's own machine: there it changes with every start.
  redirect_uris text[] not null,
  registered_at timestamptz(3) not null default now(),
  -- When somebody last let it in; those nobody lets in are forgotten first.
  used_at       timestamptz(3)
);
create index assistants_unused on assistants (registered_at desc) where used_at is null;

-- A code for an assistant is worth nothing to another, nor to a command line.
alter table login_codes add column assistant_id text references assistants on delete cascade;
alter table login_codes add column redirect_uri text;
