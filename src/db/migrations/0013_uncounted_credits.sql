-- Null is an account whose investigations are not counted.
alter table accounts alter column credits drop not null;
