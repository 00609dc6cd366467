-- Wrong codes of an authenticator app since the last right one, wherever they came from, and when the last of them did.
alter table two_factors add column wrong_codes integer not null default 0;
alter table two_factors add column wrong_at timestamptz(3);
