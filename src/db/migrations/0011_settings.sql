-- What the web app's pages ask beyond the API.

-- Assets are filtered by any approval status, not only by pending; these also serve what the two partial ones did.
create index assets_status on assets (project_id, approval_status, created_at desc, id desc);
create index assets_status_type on assets (project_id, approval_status, asset_type, created_at desc, id desc);
drop index assets_pending;
drop index assets_pending_type;

-- What is live on each platform now.
create index deployments_live on deployments (project_id, platform, created_at desc, number desc) where status = 'live';

-- The log of an outgoing webhook, by status.
create index outgoing_status on outgoing (subscription_id, status, position desc);

-- Who made a task, in a browser or with a token.
alter table tasks add column created_by_user_id integer references users on delete set null;
update tasks set created_by_user_id = t.user_id from api_tokens t where t.id = tasks.via_api_token_id;

-- A deleted integration stays behind as a name without a token: what it told still refers to it.
alter table integrations add column deleted_at timestamptz(3);
