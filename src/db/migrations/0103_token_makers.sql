-- Who created a token that tools use: when that person leaves, admins can list and revoke it.
alter table ugs_tokens add column created_by_user_id integer references users on delete set null;
alter table integrations add column created_by_user_id integer references users on delete set null;

-- For existing tokens, the audit log says who created or last rotated them.
update ugs_tokens t set created_by_user_id = l.user_id
from audit_log l join users u on u.id = l.user_id
where l.account_id = t.account_id and l.action = 'createUgsToken' and l.subject = 'ugs_token/' || t.id;
update integrations i set created_by_user_id = made.user_id
from (
  select distinct on (l.subject) l.subject, l.user_id from audit_log l join users u on u.id = l.user_id
  where l.action in ('createIntegration', 'rotateIntegrationToken') order by l.subject, l.id desc) made
where made.subject = 'integration/' || i.id;

create index ugs_tokens_maker on ugs_tokens (created_by_user_id) where created_by_user_id is not null and revoked_at is null;
create index integrations_maker on integrations (created_by_user_id) where created_by_user_id is not null and deleted_at is null;
