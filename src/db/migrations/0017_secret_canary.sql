-- A text sealed with the service's secret key: a start with another key finds out at once instead of failing at every sealed value.
create table secret_canary (
  singleton  boolean primary key default true check (singleton),
  sealed     text not null,
  created_at timestamptz(3) not null default now()
);
