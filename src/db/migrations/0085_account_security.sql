-- From where an account's people and their tokens may come; null: from anywhere. And whether they need a second factor.
alter table accounts add column allowed_addresses cidr[];
alter table accounts add column requires_second_factor boolean not null default false;

-- How a session was opened, where the password alone was not enough; null: by a password.
alter table sessions add column method text;
